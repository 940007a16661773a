// Tensor cores alone: what they do in a cycle, and a load that draws as much power as products do.
#include <stdexcept>

#include "benches/gpu/calibrate/device_timer.cuh"
#include "benches/gpu/calibrate/kernels.hpp"
#include "benches/gpu/calibrate/wgmma.cuh"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kOperands = 48 * 1024;  // two tiles of A of 64 rows, one of B of 256, rows of 128 B
constexpr int kMmaChains = 8;         // independent accumulators of a warp, so that it never waits for one

/// Numbers of about -2 to 2 with random fractions, in both formats.
__device__ unsigned random_word(unsigned seed, bool fp8) {
  unsigned x = seed * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return fp8 ? (x & 0x8f8f8f8fu) | 0x30303030u : (x & 0x80ff80ffu) | 0x3f003f00u;
}

template <bool kFp8, int kN>
__global__ __launch_bounds__(kThreads, 1) void multiply_groups(int iterations, CtaTimes* times, float* sink) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char operands[];
  auto* words = reinterpret_cast<unsigned*>(operands);
  for (int i = static_cast<int>(threadIdx.x); i < kOperands / 4; i += kThreads) {
    words[i] = random_word(static_cast<unsigned>(i) + blockIdx.x * 7919u, kFp8);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(operands));
  const unsigned long long a = operand_descriptor(base + (threadIdx.x / 128) * 8192);
  const unsigned long long b = operand_descriptor(base + 16384);
  float d[kN / 2] = {};
  CtaTimes mine;
  mine.begin_ns = device_ns();
  const long long begin = clock64();
  for (int i = 0; i < iterations; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < kTensorUnroll; ++k) multiply<kFp8>(d, a + 2 * k, b + 2 * k);  // 32 B further along K
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  mine.cycles = clock64() - begin;
  mine.end_ns = device_ns();
  float sum = 0;
  for (const float value : d) sum += value;
  if (sum == 1.2345e-30f) *sink = sum;
  if (threadIdx.x == 0) times[blockIdx.x] = mine;
#endif
}

__global__ __launch_bounds__(kThreads, 1) void multiply_warps(int iterations, CtaTimes* times, float* sink) {
  unsigned a[4];
  unsigned b[2];
  for (unsigned i = 0; i < 4; ++i) a[i] = random_word(threadIdx.x * 8 + i, false);
  for (unsigned i = 0; i < 2; ++i) b[i] = random_word(threadIdx.x * 8 + 4 + i, false);
  float d[kMmaChains][4] = {};
  CtaTimes mine;
  mine.begin_ns = device_ns();
  const long long begin = clock64();
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < kTensorUnroll; ++k) {
#pragma unroll
      for (auto& c : d) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }
  }
  mine.cycles = clock64() - begin;
  mine.end_ns = device_ns();
  float sum = 0;
  for (const auto& c : d) sum += c[0] + c[1] + c[2] + c[3];
  if (sum == 1.2345e-30f) *sink = sum;
  if (threadIdx.x == 0) times[blockIdx.x] = mine;
}

template <bool kFp8, int kN>
void launch_groups(int iterations, int ctas, CtaTimes* times, float* sink, cudaStream_t stream) {
  const auto kernel = multiply_groups<kFp8, kN>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOperands), "shared memory");
  kernel<<<static_cast<unsigned>(ctas), kThreads, kOperands, stream>>>(iterations, times, sink);
}

}  // namespace

bool has_wgmma(int major, int minor) { return major == 9 && minor == 0; }

double tensor_macs(const std::string& dtype, int n, bool wgmma) {
  const bool fp8 = dtype == "fp8";
  if (!fp8 && dtype != "bf16") return 0;
  if (wgmma) return 2.0 * 64 * n * (fp8 ? 32 : 16) * kTensorUnroll;
  return fp8 || n != 256 ? 0 : kThreads / 32.0 * 16 * 8 * 16 * kMmaChains * kTensorUnroll;
}

void enqueue_tensor(const std::string& dtype, int n, int iterations, int ctas, bool wgmma, CtaTimes* times, float* sink,
                    cudaStream_t stream) {
  const bool fp8 = dtype == "fp8";
  if (!wgmma) {
    multiply_warps<<<static_cast<unsigned>(ctas), kThreads, 0, stream>>>(iterations, times, sink);
  } else if (n == 8) {
    fp8 ? launch_groups<true, 8>(iterations, ctas, times, sink, stream)
        : launch_groups<false, 8>(iterations, ctas, times, sink, stream);
  } else if (n == 64) {
    fp8 ? launch_groups<true, 64>(iterations, ctas, times, sink, stream)
        : launch_groups<false, 64>(iterations, ctas, times, sink, stream);
  } else if (n == 256) {
    fp8 ? launch_groups<true, 256>(iterations, ctas, times, sink, stream)
        : launch_groups<false, 256>(iterations, ctas, times, sink, stream);
  } else {
    throw std::invalid_argument("tensor probes are 8, 64 or 256 wide");
  }
  check(cudaGetLastError(), "tensor kernel");
}

}  // namespace kernbench::gpu
