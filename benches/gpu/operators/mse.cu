// Mean squared error: partial sums by block, then one block adds those.
#include "benches/gpu/operators/mean.cuh"
#include "benches/gpu/operators/operators.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kVectorsPerStep = 4;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    squared_differences(const T* x, const T* target, std::int64_t count, float* partial) {
  constexpr int kElements = Vector<T>::kElements;
  const std::int64_t vectors = count / kElements;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads * kVectorsPerStep;
  float sums[kVectorsPerStep] = {};
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kThreads * kVectorsPerStep + threadIdx.x;
  for (std::int64_t first = begin; first < vectors; first += step) {
    Vector<T> a[kVectorsPerStep];
    Vector<T> b[kVectorsPerStep];
#pragma unroll
    for (int v = 0; v < kVectorsPerStep; ++v) {
      const std::int64_t at = first + v * kThreads;
      if (at >= vectors) continue;
      a[v] = load_vector(x + at * kElements);
      b[v] = load_vector(target + at * kElements);
    }
#pragma unroll
    for (int v = 0; v < kVectorsPerStep; ++v) {
      if (first + v * kThreads >= vectors) continue;
      float sum = 0;
#pragma unroll
      for (int e = 0; e < kElements; ++e) {
        const float difference = to_float(a[v].at[e]) - to_float(b[v].at[e]);
        sum += difference * difference;
      }
      sums[v] += sum;
    }
  }
  float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const std::int64_t rest = vectors * kElements + threadIdx.x;
  if (blockIdx.x == 0 && rest < count) {
    const float difference = to_float(x[rest]) - to_float(target[rest]);
    sum += difference * difference;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

}  // namespace

void enqueue_mse(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  with_type(problem.element, [&]<typename T>(Type<T>) {
    const std::int64_t count = problem.rows * problem.columns;
    constexpr std::int64_t kPerStep = std::int64_t{kThreads} * kVectorsPerStep * Vector<T>::kElements;
    const std::int64_t wanted = (count + kPerStep - 1) / kPerStep;
    const auto blocks = static_cast<unsigned>(wanted < kMostPartialSums ? wanted : kMostPartialSums);
    float* partial = buffers.scratch.as<float>();
    squared_differences<<<blocks, kThreads, 0, stream>>>(buffers.x.as<const T>(), buffers.second.as<const T>(), count,
                                                         partial);
    scaled_sum<<<1, 1024, 0, stream>>>(partial, blocks, 1.0f / static_cast<float>(count), buffers.out.as<T>());
  });
  check(cudaGetLastError(), "mse kernels");
}

}  // namespace kernbench::gpu
