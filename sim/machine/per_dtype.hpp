// A value of a machine for each dtype of operands.
#pragma once

#include <cstdint>

#include "sim/base/dtype.hpp"

namespace kernbench {

/// `absent` where nothing is said.
template <std::int64_t absent>
struct PerDtype {
  std::int64_t bf16 = absent;
  std::int64_t fp16 = absent;
  std::int64_t fp8_e4m3 = absent;
  std::int64_t fp8_e5m2 = absent;
  std::int64_t int8 = absent;
  std::int64_t tf32 = absent;
  std::int64_t fp32 = absent;
  std::int64_t bfp8 = absent;
  std::int64_t bfp4 = absent;
  std::int64_t mxfp8 = absent;
  std::int64_t mxfp4 = absent;

  [[nodiscard]] constexpr std::int64_t of(Dtype dtype) const {
    switch (dtype) {
      case Dtype::kBf16:
        return bf16;
      case Dtype::kFp16:
        return fp16;
      case Dtype::kFp8E4m3:
        return fp8_e4m3;
      case Dtype::kFp8E5m2:
        return fp8_e5m2;
      case Dtype::kInt8:
        return int8;
      case Dtype::kTf32:
        return tf32;
      case Dtype::kFp32:
        return fp32;
      case Dtype::kBfp8:
        return bfp8;
      case Dtype::kBfp4:
        return bfp4;
      case Dtype::kMxfp8:
        return mxfp8;
      case Dtype::kMxfp4:
        return mxfp4;
      case Dtype::kInt32:
        break;
    }
    return absent;
  }
};

}  // namespace kernbench
