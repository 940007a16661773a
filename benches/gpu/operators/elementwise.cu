// GELU and Swish: each element by itself.
#include "benches/gpu/operators/block.cuh"
#include "benches/gpu/operators/operators.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kVectorsPerThread = 4;

struct Gelu {
  __device__ float operator()(float x) const { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }
};

struct Swish {
  __device__ float operator()(float x) const { return x / (1.0f + expf(-x)); }
};

/// A block has kThreads x kVectorsPerThread vectors; all loads of a thread are on their way before it computes.
template <typename T, typename Function>
__global__ void __launch_bounds__(kThreads) elementwise(const T* in, T* out, std::int64_t count, Function function) {
  constexpr int kElements = Vector<T>::kElements;
  const std::int64_t vectors = count / kElements;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads * kVectorsPerThread + threadIdx.x;
  Vector<T> values[kVectorsPerThread];
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const std::int64_t at = first + v * kThreads;
    if (at < vectors) values[v] = load_vector(in + at * kElements);
  }
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const std::int64_t at = first + v * kThreads;
    if (at >= vectors) continue;
#pragma unroll
    for (T& value : values[v].at) value = from_float<T>(function(to_float(value)));
    store_vector(out + at * kElements, values[v]);
  }
  // The last elements that fill no vector.
  const std::int64_t rest = vectors * kElements + threadIdx.x;
  if (blockIdx.x == 0 && rest < count) out[rest] = from_float<T>(function(to_float(in[rest])));
}

template <typename Function>
void enqueue_elementwise(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  with_type(problem.element, [&]<typename T>(Type<T>) {
    constexpr std::int64_t kPerBlock = std::int64_t{kThreads} * kVectorsPerThread * Vector<T>::kElements;
    const std::int64_t count = problem.rows * problem.columns;
    const auto blocks = static_cast<unsigned>((count + kPerBlock - 1) / kPerBlock);
    elementwise<<<blocks, kThreads, 0, stream>>>(buffers.x.as<const T>(), buffers.out.as<T>(), count, Function());
  });
  check(cudaGetLastError(), problem.operation + " kernel");
}

}  // namespace

void enqueue_gelu(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  enqueue_elementwise<Gelu>(problem, buffers, stream);
}

void enqueue_swish(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  enqueue_elementwise<Swish>(problem, buffers, stream);
}

}  // namespace kernbench::gpu
