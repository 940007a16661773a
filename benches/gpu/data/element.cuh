// Elements of the four formats as numbers, in kernels.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <stdexcept>

#include "benches/gpu/data/fill.hpp"

namespace kernbench::gpu {

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline float to_float(__nv_fp8_e4m3 value) { return static_cast<float>(value); }

template <typename T>
__device__ inline T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}
template <>
__device__ inline __nv_fp8_e4m3 from_float<__nv_fp8_e4m3>(float value) {
  return __nv_fp8_e4m3(value);
}

/// A type as a value.
template <typename T>
struct Type {};

/// Calls `use` with the element's type.
template <typename Use>
void with_type(Element element, const Use& use) {
  switch (element) {
    case Element::kFp32:
      return use(Type<float>());
    case Element::kFp16:
      return use(Type<__half>());
    case Element::kBf16:
      return use(Type<__nv_bfloat16>());
    case Element::kFp8E4m3:
      return use(Type<__nv_fp8_e4m3>());
  }
  throw std::invalid_argument("no such element");
}

/// Blocks of 256 threads for `count` elements in a grid-stride loop.
inline unsigned blocks_for(std::size_t count) {
  constexpr std::size_t kMost = 132 * 16;
  const std::size_t blocks = (count + 255) / 256;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > kMost ? kMost : blocks);
}

}  // namespace kernbench::gpu
