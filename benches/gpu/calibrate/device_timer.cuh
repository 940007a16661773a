// The device's timer, in nanoseconds; its step is that of the GPU (32 ns on Hopper).
#pragma once

namespace kernbench::gpu {

__device__ inline unsigned long long device_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace kernbench::gpu
