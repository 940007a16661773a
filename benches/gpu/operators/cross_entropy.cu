// Cross-entropy: one block a row finds maximum and sum of exponentials in one reading; then one block takes the mean.
#include "benches/gpu/operators/mean.cuh"
#include "benches/gpu/operators/operators.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kMostThreads = 512;

/// sum of exp(x - largest), with the largest so far.
struct Exponentials {
  float largest;
  float sum;
};

__device__ Exponentials merged(Exponentials a, Exponentials b) {
  const float largest = fmaxf(a.largest, b.largest);
  if (largest == -INFINITY) return {largest, 0.0f};  // both are empty
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

__device__ Exponentials warp_merged(Exponentials mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const float largest = __shfl_xor_sync(0xffffffffU, mine.largest, distance);
    const float sum = __shfl_xor_sync(0xffffffffU, mine.sum, distance);
    mine = merged(mine, {largest, sum});
  }
  return mine;
}

/// Adds `count` numbers; the maximum moves at most once.
template <int kCount>
__device__ void take(Exponentials& all, const float (&x)[kCount]) {
  float largest = all.largest;
#pragma unroll
  for (const float value : x) largest = fmaxf(largest, value);
  float sum = all.sum * expf(all.largest - largest);
#pragma unroll
  for (const float value : x) sum += expf(value - largest);
  all = {largest, sum};
}

template <typename T, bool kVectors>
__global__ void __launch_bounds__(kMostThreads)
    row_losses(const T* logits, const std::int64_t* classes, float* losses, std::int64_t columns) {
  constexpr int kElements = kVectors ? Vector<T>::kElements : 1;
  const T* row = logits + blockIdx.x * columns;
  Exponentials all{-INFINITY, 0.0f};
  for (std::int64_t i = static_cast<std::int64_t>(threadIdx.x) * kElements; i < columns;
       i += static_cast<std::int64_t>(blockDim.x) * kElements) {
    float x[kElements];
    if constexpr (kVectors) {
      const Vector<T> values = load_vector(row + i);
#pragma unroll
      for (int e = 0; e < kElements; ++e) x[e] = to_float(values.at[e]);
    } else {
      x[0] = to_float(row[i]);
    }
    take(all, x);
  }
  __shared__ Exponentials of_warps[kMostThreads / 32];
  const unsigned lane = threadIdx.x % 32;
  all = warp_merged(all);
  if (lane == 0) of_warps[threadIdx.x / 32] = all;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  all = warp_merged(lane < blockDim.x / 32 ? of_warps[lane] : Exponentials{-INFINITY, 0.0f});
  if (lane == 0) losses[blockIdx.x] = logf(all.sum) + all.largest - to_float(row[classes[blockIdx.x]]);
}

__global__ void draw_classes(std::int64_t* classes, std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  std::uint64_t z = (seed + static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z ^= z >> 31U;
  classes[row] = static_cast<std::int64_t>(z % static_cast<std::uint64_t>(columns));
}

}  // namespace

void enqueue_cross_entropy(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  with_type(problem.element, [&]<typename T>(Type<T>) {
    const auto rows = static_cast<unsigned>(problem.rows);
    const std::int64_t vectors = problem.columns / Vector<T>::kElements;
    const bool whole = problem.columns % Vector<T>::kElements == 0;
    const std::int64_t wanted = whole ? (vectors + 1) / 2 : problem.columns / 2;
    const std::int64_t warps = wanted / 32 < 1 ? 1 : wanted / 32 > kMostThreads / 32 ? kMostThreads / 32 : wanted / 32;
    const auto threads = static_cast<unsigned>(warps * 32);
    const T* logits = buffers.x.as<const T>();
    const auto* classes = buffers.second.as<const std::int64_t>();
    float* losses = buffers.scratch.as<float>();
    if (whole) {
      row_losses<T, true><<<rows, threads, 0, stream>>>(logits, classes, losses, problem.columns);
    } else {
      row_losses<T, false><<<rows, threads, 0, stream>>>(logits, classes, losses, problem.columns);
    }
    scaled_sum<<<1, 1024, 0, stream>>>(losses, problem.rows, 1.0f / static_cast<float>(problem.rows),
                                       buffers.out.as<T>());
  });
  check(cudaGetLastError(), "cross_entropy kernels");
}

void fill_classes(std::int64_t* classes, std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                  cudaStream_t stream) {
  draw_classes<<<static_cast<unsigned>((rows + 255) / 256), 256, 0, stream>>>(classes, rows, columns, seed);
  check(cudaGetLastError(), "drawing classes");
}

}  // namespace kernbench::gpu
