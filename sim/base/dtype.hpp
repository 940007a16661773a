// Formats of elements: how many bytes one takes, what products of it are added up in, what their sums are stored as,
// and how a value is rounded to it (adr/0034-dtypes.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"

namespace kernbench {

enum class Dtype : std::uint8_t { kBf16, kFp16, kFp8E4m3, kFp8E5m2, kInt8, kTf32, kFp32, kInt32 };

/// Those that operands may have.
inline constexpr Names<Dtype> kOperandDtypes{"dtype",
                                             {{Dtype::kBf16, "bf16"},
                                              {Dtype::kFp16, "fp16"},
                                              {Dtype::kFp8E4m3, "fp8_e4m3"},
                                              {Dtype::kFp8E5m2, "fp8_e5m2"},
                                              {Dtype::kInt8, "int8"},
                                              {Dtype::kTf32, "tf32"},
                                              {Dtype::kFp32, "fp32"}}};

[[nodiscard]] constexpr std::string_view name_of(Dtype dtype) {
  return dtype == Dtype::kInt32 ? std::string_view("int32") : kOperandDtypes[dtype];
}

/// Bytes of an element in a memory; tf32 lies there as fp32.
[[nodiscard]] constexpr Bytes bytes_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp8E4m3:
    case Dtype::kFp8E5m2:
    case Dtype::kInt8:
      return 1;
    case Dtype::kBf16:
    case Dtype::kFp16:
      return 2;
    case Dtype::kTf32:
    case Dtype::kFp32:
    case Dtype::kInt32:
      break;
  }
  return 4;
}

/// What products of two elements are added up in.
[[nodiscard]] constexpr Dtype accumulator_of(Dtype operands) {
  return operands == Dtype::kInt8 ? Dtype::kInt32 : Dtype::kFp32;
}

/// What sums of such products are stored as.
[[nodiscard]] constexpr Dtype result_of(Dtype operands) {
  switch (operands) {
    case Dtype::kFp8E4m3:
    case Dtype::kFp8E5m2:
      return Dtype::kBf16;
    case Dtype::kInt8:
      return Dtype::kInt32;
    case Dtype::kTf32:
      return Dtype::kFp32;
    default:
      return operands;
  }
}

/// Reads a dtype of operands; "fp8" is fp8_e4m3. Throws ConfigError, which begins with `place`.
[[nodiscard]] Dtype parse_dtype(std::string_view text, std::string_view place);

/// The nearest number that the dtype has, of two that are equally near the even one. Beyond the largest: infinity, or,
/// where the dtype has none (fp8_e4m3, integers), the largest itself.
[[nodiscard]] float rounded(float value, Dtype dtype);

}  // namespace kernbench
