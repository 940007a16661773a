// LayerNorm: one block a row. A row that fits stays in registers between the mean, the variance and the output.
#include "benches/gpu/operators/block.cuh"
#include "benches/gpu/operators/operators.hpp"

namespace kernbench::gpu {
namespace {

constexpr float kEpsilon = 1e-5f;
constexpr int kVectorsPerThread = 4;
constexpr int kMostThreads = 1024;

/// Rows of whole vectors, at most blockDim.x x kVectorsPerThread of them.
template <typename T>
__global__ void __launch_bounds__(kMostThreads)
    layernorm_in_registers(const T* x, const T* gain, const T* bias, T* out, int columns) {
  constexpr int kElements = Vector<T>::kElements;
  const int vectors = columns / kElements;
  const T* row = x + static_cast<std::int64_t>(blockIdx.x) * columns;
  T* out_row = out + static_cast<std::int64_t>(blockIdx.x) * columns;
  Vector<T> values[kVectorsPerThread];
  float sum = 0;
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const int at = static_cast<int>(threadIdx.x + v * blockDim.x);
    if (at < vectors) values[v] = load_vector(row + at * kElements);
  }
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    if (static_cast<int>(threadIdx.x + v * blockDim.x) >= vectors) continue;
#pragma unroll
    for (const T value : values[v].at) sum += to_float(value);
  }
  const float mean = block_sum(sum) / static_cast<float>(columns);
  float squares = 0;
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    if (static_cast<int>(threadIdx.x + v * blockDim.x) >= vectors) continue;
#pragma unroll
    for (const T value : values[v].at) {
      const float difference = to_float(value) - mean;
      squares += difference * difference;
    }
  }
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(columns) + kEpsilon);
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const int at = static_cast<int>(threadIdx.x + v * blockDim.x);
    if (at >= vectors) continue;
    const Vector<T> gains = load_vector(gain + at * kElements);
    const Vector<T> biases = load_vector(bias + at * kElements);
#pragma unroll
    for (int e = 0; e < kElements; ++e) {
      const float normal = (to_float(values[v].at[e]) - mean) * scale;
      values[v].at[e] = from_float<T>(normal * to_float(gains.at[e]) + to_float(biases.at[e]));
    }
    store_vector(out_row + at * kElements, values[v]);
  }
}

/// Any row, read three times: the cache has it after the first.
template <typename T>
__global__ void __launch_bounds__(kMostThreads)
    layernorm_any(const T* x, const T* gain, const T* bias, T* out, std::int64_t columns) {
  const T* row = x + blockIdx.x * columns;
  T* out_row = out + blockIdx.x * columns;
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x) sum += to_float(row[i]);
  const float mean = block_sum(sum) / static_cast<float>(columns);
  float squares = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
    const float difference = to_float(row[i]) - mean;
    squares += difference * difference;
  }
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(columns) + kEpsilon);
  for (std::int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
    out_row[i] = from_float<T>((to_float(row[i]) - mean) * scale * to_float(gain[i]) + to_float(bias[i]));
  }
}

}  // namespace

void enqueue_layernorm(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  with_type(problem.element, [&]<typename T>(Type<T>) {
    const std::int64_t vectors = problem.columns / Vector<T>::kElements;
    const bool whole = problem.columns % Vector<T>::kElements == 0;
    const auto rows = static_cast<unsigned>(problem.rows);
    const T* x = buffers.x.as<const T>();
    const T* gain = buffers.second.as<const T>();
    const T* bias = buffers.third.as<const T>();
    if (whole && vectors <= kMostThreads * kVectorsPerThread) {
      const std::int64_t wanted = (vectors + kVectorsPerThread - 1) / kVectorsPerThread;
      const auto threads = static_cast<unsigned>((wanted + 31) / 32 * 32);
      layernorm_in_registers<<<rows, threads, 0, stream>>>(x, gain, bias, buffers.out.as<T>(),
                                                           static_cast<int>(problem.columns));
    } else {
      layernorm_any<<<rows, 512, 0, stream>>>(x, gain, bias, buffers.out.as<T>(), problem.columns);
    }
  });
  check(cudaGetLastError(), "layernorm kernel");
}

}  // namespace kernbench::gpu
