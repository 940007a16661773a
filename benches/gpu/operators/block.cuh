// What the operators' kernels share: 16-byte vectors, and sums over a block in a fixed order.
#pragma once

#include <cstdint>

#include "benches/gpu/data/element.cuh"

namespace kernbench::gpu {

/// 16 bytes of elements.
template <typename T>
struct alignas(16) Vector {
  static constexpr int kElements = 16 / static_cast<int>(sizeof(T));
  T at[kElements];
};

template <typename T>
__device__ Vector<T> load_vector(const T* from) {
  return *reinterpret_cast<const Vector<T>*>(from);
}

template <typename T>
__device__ void store_vector(T* to, const Vector<T>& vector) {
  *reinterpret_cast<Vector<T>*>(to) = vector;
}

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffU, value, distance);
  return value;
}

/// The sum over the block, in every thread; blockDim.x is a multiple of 32. May be called again and again.
__device__ inline float block_sum(float value) {
  __shared__ float of_warps[32];
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  value = warp_sum(value);
  __syncthreads();  // the sums of the call before have been read
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  return warp_sum(lane < blockDim.x / 32 ? of_warps[lane] : 0.0f);
}

}  // namespace kernbench::gpu
