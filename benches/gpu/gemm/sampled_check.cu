// One block a sampled position.
#include <array>
#include <cmath>
#include <limits>

#include "benches/gpu/data/element.cuh"
#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/gemm/sampled_check.hpp"
#include "sim/base/random.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kSamples = 256;
constexpr int kThreads = 256;

struct Position {
  std::int64_t row;
  std::int64_t column;
};

struct Sample {
  double reference;
  double found;
};

template <typename In, typename Out>
__global__ void dot_products(const In* a, const In* b, const Out* c, std::int64_t k, std::int64_t n,
                             bool b_column_major, const Position* positions, Sample* samples) {
  __shared__ double partial[kThreads];
  const std::int64_t row = positions[blockIdx.x].row;
  const std::int64_t column = positions[blockIdx.x].column;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < k; i += kThreads) {
    const In factor = b_column_major ? b[column * k + i] : b[i * n + column];
    sum += static_cast<double>(to_float(a[row * k + i])) * static_cast<double>(to_float(factor));
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) samples[blockIdx.x] = {partial[0], static_cast<double>(to_float(c[row * n + column]))};
}

}  // namespace

double sampled_error(const ProductOnDevice& product, std::uint64_t seed, cudaStream_t stream) {
  const auto elements = static_cast<std::size_t>(product.m * product.n);
  if (count_not_finite(product.c, elements, product.output, stream) > 0)
    return std::numeric_limits<double>::quiet_NaN();

  Random random(seed);
  std::array<Position, kSamples> positions{};
  for (Position& position : positions) position = {random.below(product.m), random.below(product.n)};
  const DeviceBuffer on_device(sizeof positions);
  const DeviceBuffer results(kSamples * sizeof(Sample));
  check(cudaMemcpyAsync(on_device.data(), positions.data(), sizeof positions, cudaMemcpyHostToDevice, stream),
        "sending sampled positions");
  with_type(product.inputs, [&]<typename In>(Type<In>) {
    with_type(product.output, [&]<typename Out>(Type<Out>) {
      dot_products<<<kSamples, kThreads, 0, stream>>>(
          static_cast<const In*>(product.a), static_cast<const In*>(product.b), static_cast<const Out*>(product.c),
          product.k, product.n, product.b_column_major, on_device.as<Position>(), results.as<Sample>());
    });
  });
  check(cudaGetLastError(), "dot products in float64");
  std::array<Sample, kSamples> samples{};
  check(cudaMemcpyAsync(samples.data(), results.data(), sizeof samples, cudaMemcpyDeviceToHost, stream),
        "reading dot products");
  check(cudaStreamSynchronize(stream), "dot products in float64");

  double difference = 0;
  double size = 0;
  for (const Sample& sample : samples) {
    difference += (sample.found - sample.reference) * (sample.found - sample.reference);
    size += sample.reference * sample.reference;
  }
  return std::sqrt(difference / size);
}

}  // namespace kernbench::gpu
