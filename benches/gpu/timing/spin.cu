// A kernel that does nothing for a while.
#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/timing/spin.hpp"

namespace kernbench::gpu {
namespace {

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void enqueue_spin(long long cycles, cudaStream_t stream) {
  spin<<<1, 1, 0, stream>>>(cycles);
  check(cudaGetLastError(), "spin kernel");
}

}  // namespace kernbench::gpu
