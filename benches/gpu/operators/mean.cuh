// The second step of the operators whose output is one mean: a single block adds in a fixed order.
#pragma once

#include "benches/gpu/operators/block.cuh"

namespace kernbench::gpu {

/// *out = scale x the sum of `count` floats. One block of 1024 threads.
template <typename T>
__global__ void __launch_bounds__(1024) scaled_sum(const float* values, std::int64_t count, float scale, T* out) {
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) sum += values[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *out = from_float<T>(sum * scale);
}

}  // namespace kernbench::gpu
