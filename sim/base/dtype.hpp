// Formats of elements: how many bytes they take, what products of them are added up in, what their sums are stored as,
// and how values are rounded to them (adr/0034-dtypes.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"

namespace kernbench {

enum class Dtype : std::uint8_t {
  kBf16,
  kFp16,
  kFp8E4m3,
  kFp8E5m2,
  kInt8,
  kTf32,
  kFp32,
  kBfp8,
  kBfp4,
  kMxfp8,
  kMxfp4,
  kInt32
};

/// Those that operands may have.
inline constexpr Names<Dtype> kOperandDtypes{"dtype",
                                             {{Dtype::kBf16, "bf16"},
                                              {Dtype::kFp16, "fp16"},
                                              {Dtype::kFp8E4m3, "fp8_e4m3"},
                                              {Dtype::kFp8E5m2, "fp8_e5m2"},
                                              {Dtype::kInt8, "int8"},
                                              {Dtype::kTf32, "tf32"},
                                              {Dtype::kFp32, "fp32"},
                                              {Dtype::kBfp8, "bfp8"},
                                              {Dtype::kBfp4, "bfp4"},
                                              {Dtype::kMxfp8, "mxfp8"},
                                              {Dtype::kMxfp4, "mxfp4"}}};

[[nodiscard]] constexpr std::string_view name_of(Dtype dtype) {
  return dtype == Dtype::kInt32 ? std::string_view("int32") : kOperandDtypes[dtype];
}

/// Elements along a row that lie together, behind an exponent that they share where there are several (34.11).
struct DtypeGroup {
  std::int64_t elements = 1;
  Bytes exponent = 0;
  std::int64_t bits = 8;  ///< of each element
  [[nodiscard]] constexpr Bytes bytes() const { return exponent + elements * bits / 8; }
};

/// tf32 lies in a memory as fp32.
[[nodiscard]] constexpr DtypeGroup group_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp8E4m3:
    case Dtype::kFp8E5m2:
    case Dtype::kInt8:
      return {.bits = 8};
    case Dtype::kBf16:
    case Dtype::kFp16:
      return {.bits = 16};
    case Dtype::kTf32:
    case Dtype::kFp32:
    case Dtype::kInt32:
      return {.bits = 32};
    case Dtype::kBfp8:
      return {16, 1, 8};
    case Dtype::kBfp4:
      return {16, 1, 4};
    case Dtype::kMxfp8:
      return {32, 1, 8};
    case Dtype::kMxfp4:
      return {32, 1, 4};
  }
  return {};
}
[[nodiscard]] constexpr bool is_grouped(Dtype dtype) { return group_of(dtype).elements > 1; }

/// Of elements that follow each other in a row: whole groups.
[[nodiscard]] constexpr Bytes bytes_of(std::int64_t elements, Dtype dtype) {
  const DtypeGroup group = group_of(dtype);
  return ceil_div(elements, group.elements) * group.bytes();
}

/// Of a row that tiles cut: groups begin anew at each tile's edge.
[[nodiscard]] constexpr Bytes bytes_of_row(std::int64_t elements, std::int64_t tile, Dtype dtype) {
  if (!is_grouped(dtype)) return bytes_of(elements, dtype);
  return elements / tile * bytes_of(tile, dtype) + bytes_of(elements % tile, dtype);
}

/// Elements that begin in the first bytes of a row; those of a last group that is not complete count as if it were.
[[nodiscard]] constexpr std::int64_t elements_in(Bytes bytes, Dtype dtype) {
  const DtypeGroup group = group_of(dtype);
  const Bytes rest = std::max<Bytes>(0, bytes % group.bytes() - group.exponent);
  return bytes / group.bytes() * group.elements + ceil_div(rest * 8, group.bits);
}

/// From the beginning of a row to an element of it, in half bytes.
[[nodiscard]] constexpr std::int64_t half_bytes_to(std::int64_t element, Dtype dtype) {
  const DtypeGroup group = group_of(dtype);
  if (group.elements == 1) return element * (group.bits / 4);
  return 2 * (element / group.elements * group.bytes() + group.exponent) + element % group.elements * group.bits / 4;
}

/// Bytes of an element, a share of its group's exponent among them.
[[nodiscard]] constexpr double bytes_each(Dtype dtype) {
  const DtypeGroup group = group_of(dtype);
  return static_cast<double>(group.bytes()) / static_cast<double>(group.elements);
}

/// Whether an element takes fewer bytes than one of another dtype.
[[nodiscard]] constexpr bool is_smaller(Dtype dtype, Dtype than) { return bytes_each(dtype) < bytes_each(than); }

/// What products of two elements are added up in.
[[nodiscard]] constexpr Dtype accumulator_of(Dtype operands) {
  return operands == Dtype::kInt8 ? Dtype::kInt32 : Dtype::kFp32;
}

/// What sums of such products are stored as.
[[nodiscard]] constexpr Dtype result_of(Dtype operands) {
  switch (operands) {
    case Dtype::kFp8E4m3:
    case Dtype::kFp8E5m2:
    case Dtype::kMxfp8:
    case Dtype::kMxfp4:
      return Dtype::kBf16;
    case Dtype::kInt8:
      return Dtype::kInt32;
    case Dtype::kTf32:
      return Dtype::kFp32;
    default:
      return operands;
  }
}

/// What a bias is stored as beside results of a dtype: a single row has no use for groups (34.14).
[[nodiscard]] constexpr Dtype bias_of(Dtype results) { return is_grouped(results) ? Dtype::kBf16 : results; }

/// Reads a dtype of operands; "fp8" is fp8_e4m3. Throws ConfigError, which begins with `place`.
[[nodiscard]] Dtype parse_dtype(std::string_view text, std::string_view place);

/// The nearest number that the dtype has, of two that are equally near the even one. Beyond the largest: infinity, or,
/// where the dtype has none (fp8_e4m3, integers), the largest itself. Of a dtype with groups: of a group of its own.
[[nodiscard]] float rounded(float value, Dtype dtype);

/// Rounds values that follow each other in a row, group by group (34.12). What is no number stays, and has no say in
/// the exponent.
void round_row(std::span<float> values, Dtype dtype);

}  // namespace kernbench
