// Each expected element is computed from the contributions that make it up.
#include <cmath>
#include <stdexcept>

#include "benches/gpu/collectives/expected.hpp"
#include "benches/gpu/data/element.cuh"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

enum class Collective { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kAllToAll };

Collective collective_named(const std::string& name) {
  if (name == "all_reduce") return Collective::kAllReduce;
  if (name == "reduce_scatter") return Collective::kReduceScatter;
  if (name == "all_gather") return Collective::kAllGather;
  if (name == "broadcast") return Collective::kBroadcast;
  if (name == "all_to_all") return Collective::kAllToAll;
  throw std::invalid_argument("there is no collective \"" + name + "\"");
}

__device__ float contribution(int rank, std::int64_t i) {
  std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(rank) * 0xd1342543de82ef95U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z ^= z >> 31U;
  return static_cast<float>(static_cast<int>(z % 17U) - 8);
}

__global__ void fill(float* data, std::int64_t count, int rank) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    data[i] = contribution(rank, i);
  }
}

/// `chunk`: the part of the whole buffer that belongs to one rank.
__device__ float expected(Collective collective, std::int64_t i, std::int64_t chunk, int rank, int ranks) {
  switch (collective) {
    case Collective::kAllGather:
      return contribution(static_cast<int>(i / chunk), i % chunk);
    case Collective::kAllToAll:
      return contribution(static_cast<int>(i / chunk), rank * chunk + i % chunk);
    case Collective::kBroadcast:
      return contribution(0, i);
    default:
      break;
  }
  const std::int64_t at = collective == Collective::kReduceScatter ? rank * chunk + i : i;
  float sum = 0;
  for (int from = 0; from < ranks; ++from) sum += contribution(from, at);
  return sum;
}

struct Squares {
  double difference = 0;
  double expected = 0;
};

__global__ void compare(Collective collective, const float* out, std::int64_t outputs, std::int64_t chunk, int rank,
                        int ranks, Squares* squares) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double difference = 0;
  double size = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < outputs; i += step) {
    const double right = static_cast<double>(expected(collective, i, chunk, rank, ranks));
    const double found = static_cast<double>(out[i]);
    difference += (found - right) * (found - right);
    size += right * right;
  }
  atomicAdd(&squares->difference, difference);
  atomicAdd(&squares->expected, size);
}

}  // namespace

void fill_contribution(float* data, std::int64_t count, int rank, cudaStream_t stream) {
  fill<<<blocks_for(static_cast<std::size_t>(count)), 256, 0, stream>>>(data, count, rank);
  check(cudaGetLastError(), "filling with contributions");
}

double collective_error(const std::string& collective, const float* out, std::int64_t count, int rank, int ranks,
                        cudaStream_t stream) {
  const Collective which = collective_named(collective);
  const std::int64_t chunk = count / ranks;
  const std::int64_t outputs = which == Collective::kReduceScatter ? chunk : count;
  const DeviceBuffer squares(sizeof(Squares));
  check(cudaMemsetAsync(squares.data(), 0, squares.bytes(), stream), "clearing sums");
  compare<<<blocks_for(static_cast<std::size_t>(outputs)), 256, 0, stream>>>(which, out, outputs, chunk, rank, ranks,
                                                                             squares.as<Squares>());
  check(cudaGetLastError(), "comparing a collective's result");
  Squares found;
  check(cudaMemcpyAsync(&found, squares.data(), sizeof found, cudaMemcpyDeviceToHost, stream), "reading sums");
  check(cudaStreamSynchronize(stream), "comparing a collective's result");
  return std::sqrt(found.difference / found.expected);
}

}  // namespace kernbench::gpu
