// Reading memory by plain loads, and kernels that do nothing.
#include "benches/gpu/calibrate/kernels.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kReadThreads = 1024;
constexpr int kEmptyThreads = 384;

__global__ __launch_bounds__(kReadThreads) void read_lines(const uint4* data, std::size_t count, int passes,
                                                           unsigned* sink) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::size_t i = first;
    for (; i + 3 * stride < count; i += 4 * stride) {
      const uint4 a = __ldcg(data + i);
      const uint4 b = __ldcg(data + i + stride);
      const uint4 c = __ldcg(data + i + 2 * stride);
      const uint4 d = __ldcg(data + i + 3 * stride);
      sum += a.x ^ b.y ^ c.z ^ d.w;
    }
    for (; i < count; i += stride) sum += __ldcg(data + i).x;
  }
  if (sum == 0x12345678u) *sink = sum;  // never, but the compiler cannot know
}

__global__ void nothing() {}

}  // namespace

void enqueue_read(const void* data, std::size_t bytes, int passes, int ctas, unsigned* sink, cudaStream_t stream) {
  read_lines<<<static_cast<unsigned>(ctas), kReadThreads, 0, stream>>>(static_cast<const uint4*>(data),
                                                                       bytes / sizeof(uint4), passes, sink);
  check(cudaGetLastError(), "reading kernel");
}

void enqueue_empty(int ctas, int shared_bytes, cudaStream_t stream) {
  check(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "shared memory of an empty kernel");
  nothing<<<static_cast<unsigned>(ctas), kEmptyThreads, static_cast<std::size_t>(shared_bytes), stream>>>();
  check(cudaGetLastError(), "empty kernel");
}

}  // namespace kernbench::gpu
