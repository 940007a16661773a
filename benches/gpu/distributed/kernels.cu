#include <algorithm>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/distributed/kernels.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 132 * 16;

dim3 blocks_for(std::int64_t elements) {
  return dim3(static_cast<unsigned>(std::clamp<std::int64_t>((elements + kThreads - 1) / kThreads, 1, kMostBlocks)));
}

/// SplitMix64's mixing function.
__device__ std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Element (row, column): Box and Muller's transform of two 32-bit halves of a hash.
__device__ __nv_bfloat16 normal_at(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  const std::uint64_t place = (static_cast<std::uint64_t>(row) << 32) | static_cast<std::uint64_t>(column);
  const std::uint64_t bits = mixed(mixed(place + 0x9e3779b97f4a7c15ULL) ^ mixed(seed * 0x9e3779b97f4a7c15ULL + 1));
  const float u = (static_cast<float>(static_cast<std::uint32_t>(bits >> 40)) + 1.0F) * 0x1p-24F;  // in (0, 1]
  const float v = static_cast<float>(static_cast<std::uint32_t>(bits & 0xffffffU)) * 0x1p-24F;
  return __float2bfloat16(sqrtf(-2.0F * logf(u)) * cospif(2.0F * v));
}

__global__ void fill_normal_kernel(MatrixView<__nv_bfloat16> out, NormalNumbers numbers) {
  const std::int64_t elements = out.rows * out.columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < elements; e += step) {
    const std::int64_t row = e / out.columns;
    const std::int64_t column = e % out.columns;
    out.data[row * out.pitch + column] =
        normal_at(numbers.seed, numbers.first_row + row, numbers.first_column + column);
  }
}

/// A row for blockIdx.y; four elements at a time where the matrices allow it.
__global__ void add_by_four_kernel(MatrixView<float> out, MatrixView<const float> in) {
  const std::int64_t fours = out.columns / 4;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t row = blockIdx.y; row < out.rows; row += gridDim.y) {
    auto* to = reinterpret_cast<float4*>(out.data + row * out.pitch);
    const auto* from = reinterpret_cast<const float4*>(in.data + row * in.pitch);
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < fours; i += step) {
      float4 sum = to[i];
      const float4 more = from[i];
      sum.x += more.x;
      sum.y += more.y;
      sum.z += more.z;
      sum.w += more.w;
      to[i] = sum;
    }
  }
}

__global__ void add_kernel(MatrixView<float> out, MatrixView<const float> in) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t row = blockIdx.y; row < out.rows; row += gridDim.y) {
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < out.columns;
         i += step) {
      out.data[row * out.pitch + i] += in.data[row * in.pitch + i];
    }
  }
}

bool by_four(const void* data, std::int64_t pitch, std::int64_t columns) {
  return reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0 && pitch % 4 == 0 && columns % 4 == 0;
}

/// The block's sum, valid in thread 0. All threads of a block of kThreads call it.
__device__ double block_sum(double value) {
  __shared__ double warps[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  __syncthreads();  // an earlier call's sums have been read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0) {
    for (const double warp : warps) sum += warp;
  }
  return sum;
}

__global__ void squared_difference_kernel(MatrixView<const float> out, MatrixView<const float> reference,
                                          double* sums) {
  const std::int64_t elements = out.rows * out.columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double difference = 0;
  double size = 0;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < elements; e += step) {
    const std::int64_t row = e / out.columns;
    const std::int64_t column = e % out.columns;
    const double expected = reference.data[row * reference.pitch + column];
    const double d = static_cast<double>(out.data[row * out.pitch + column]) - expected;
    difference += d * d;
    size += expected * expected;
  }
  difference = block_sum(difference);
  size = block_sum(size);
  if (threadIdx.x != 0) return;
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, size);
}

/// A block for each sample.
__global__ void sampled_error_kernel(MatrixView<const float> out, SampledProduct product, double* sums) {
  const std::uint64_t random = mixed(product.a_seed + 0x51ed270b9f3cULL * (blockIdx.x + 1));
  const auto row = static_cast<std::int64_t>((random >> 32) % static_cast<std::uint64_t>(out.rows));
  const auto column = static_cast<std::int64_t>((random & 0xffffffffU) % static_cast<std::uint64_t>(out.columns));
  double dot = 0;
  for (std::int64_t l = threadIdx.x; l < product.k; l += blockDim.x) {
    const float a = __bfloat162float(normal_at(product.a_seed, product.first_row + row, l));
    const float b = __bfloat162float(normal_at(product.b_seed, l, product.first_column + column));
    dot += static_cast<double>(a) * static_cast<double>(b);
  }
  dot = block_sum(dot);
  if (threadIdx.x != 0) return;
  const double d = static_cast<double>(out.data[row * out.pitch + column]) - dot;
  atomicAdd(sums, d * d);
  atomicAdd(sums + 1, dot * dot);
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void gate_kernel(const volatile int* opened, int ticket, volatile int* late) {
  const std::uint64_t start = nanoseconds();
  while (*opened < ticket) {
    if (nanoseconds() - start > 5'000'000'000ULL) {
      *late = 1;
      return;
    }
  }
}

}  // namespace

void fill_normal(MatrixView<__nv_bfloat16> out, NormalNumbers numbers, cudaStream_t stream) {
  if (out.rows * out.columns == 0) return;
  fill_normal_kernel<<<blocks_for(out.rows * out.columns), kThreads, 0, stream>>>(out, numbers);
  check(cudaGetLastError(), "fill_normal");
}

void add_matrix(MatrixView<float> out, MatrixView<const float> in, cudaStream_t stream) {
  if (out.rows * out.columns == 0) return;
  const bool fours = by_four(out.data, out.pitch, out.columns) && by_four(in.data, in.pitch, in.columns);
  const std::int64_t across = fours ? out.columns / 4 : out.columns;
  const std::int64_t blocks = std::min<std::int64_t>((across + kThreads - 1) / kThreads, kMostBlocks);
  const std::int64_t rows = std::clamp<std::int64_t>(kMostBlocks / blocks, 1, std::min<std::int64_t>(out.rows, 65535));
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(rows));
  if (fours) {
    add_by_four_kernel<<<grid, kThreads, 0, stream>>>(out, in);
  } else {
    add_kernel<<<grid, kThreads, 0, stream>>>(out, in);
  }
  check(cudaGetLastError(), "add_matrix");
}

void add_squared_difference(MatrixView<const float> out, MatrixView<const float> reference, double* sums,
                            cudaStream_t stream) {
  if (out.rows * out.columns == 0) return;
  squared_difference_kernel<<<blocks_for(out.rows * out.columns), kThreads, 0, stream>>>(out, reference, sums);
  check(cudaGetLastError(), "add_squared_difference");
}

void add_sampled_error(MatrixView<const float> out, SampledProduct product, double* sums, cudaStream_t stream) {
  if (out.rows * out.columns == 0) return;
  sampled_error_kernel<<<static_cast<unsigned>(product.samples), kThreads, 0, stream>>>(out, product, sums);
  check(cudaGetLastError(), "add_sampled_error");
}

void wait_for_gate(const int* opened, int ticket, int* late, cudaStream_t stream) {
  gate_kernel<<<1, 1, 0, stream>>>(opened, ticket, late);
  check(cudaGetLastError(), "wait_for_gate");
}

}  // namespace kernbench::gpu
