// Filling and scanning arrays on a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kernbench::gpu {

/// How an element lies in memory; tf32 is fp32 in memory.
enum class Element { kFp32, kFp16, kBf16, kFp8E4m3 };

/// Of a dtype's name as rows have it ("fp32", "tf32", "fp16", "bf16", "fp8_e4m3"). Throws std::invalid_argument.
[[nodiscard]] Element element_of(const std::string& dtype);
[[nodiscard]] std::size_t bytes_of(Element element);

/// Standard normal numbers, rounded to the element: the same for the same seed and count, on every device.
void fill_normal(void* data, std::size_t count, Element element, std::uint64_t seed, cudaStream_t stream);

/// Every byte 0xff: a NaN in every format.
void poison(void* data, std::size_t bytes, cudaStream_t stream);

/// Elements that are infinite or NaN, as after `poison` those that nobody wrote. Waits for the stream.
[[nodiscard]] std::size_t count_not_finite(const void* data, std::size_t count, Element element, cudaStream_t stream);

/// Bytes in which two arrays differ; the current device reads both. Waits for the stream.
[[nodiscard]] std::size_t count_different(const void* a, const void* b, std::size_t bytes, cudaStream_t stream);

}  // namespace kernbench::gpu
