// Whether a product is right: some of its elements against dot products in float64.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "benches/gpu/data/fill.hpp"

namespace kernbench::gpu {

/// A product C = A B as it lies on the device: A is m x k and C is m x n, both row-major; B is k x n, row-major or,
/// where `b_column_major`, column-major.
struct ProductOnDevice {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  Element inputs = Element::kFp32;
  Element output = Element::kFp32;
  bool b_column_major = false;
};

/// ||C - A B|| / ||A B|| over 256 positions that the seed draws, A B in float64; NaN where any element of C is not
/// finite. Waits for the stream.
[[nodiscard]] double sampled_error(const ProductOnDevice& product, std::uint64_t seed, cudaStream_t stream);

}  // namespace kernbench::gpu
