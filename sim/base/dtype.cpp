#include "sim/base/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/bf16.hpp"

namespace kernbench {

namespace {

/// A binary floating-point format, subnormal numbers included.
struct Format {
  int fraction_bits = 0;
  int least_exponent = 0;  ///< of the smallest normal number, 2^least_exponent
  float largest = 0;
  bool has_infinity = true;
};

constexpr Format kE4m3{3, -6, 448.0F, false};
constexpr Format kE2m1{1, 0, 6.0F, false};

float rounded_to(float value, const Format& format) {
  if (value == 0.0F || !std::isfinite(value)) return value;
  const int last_bit = std::max(std::ilogb(value), format.least_exponent) - format.fraction_bits;
  const float nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last_bit)), last_bit);
  if (std::abs(nearest) <= format.largest) return nearest;
  return std::copysign(format.has_infinity ? std::numeric_limits<float>::infinity() : format.largest, value);
}

/// Of magnitudes; what is no number is left out.
float largest_of(std::span<const float> values) {
  float most = 0;
  for (const float value : values) most = std::fmax(most, std::abs(value));
  return most;
}

/// As whole multiples, of so many bits, of a unit that the values share: the smallest with which the largest of them is
/// no more than its bits hold.
void round_to_shared_unit(std::span<float> values, int bits) {
  constexpr Format kLargest{0, -126, std::numeric_limits<float>::max(), false};
  Format of_largest = kLargest;
  of_largest.fraction_bits = bits - 1;
  const float most = rounded_to(largest_of(values), of_largest);
  if (most == 0.0F) return;
  const int unit = std::max(std::ilogb(most), of_largest.least_exponent) - of_largest.fraction_bits;
  const float limit = std::ldexp(1.0F, bits) - 1.0F;
  for (float& value : values) {
    value = std::ldexp(std::clamp(std::nearbyint(std::ldexp(value, -unit)), -limit, limit), unit);
  }
}

/// As numbers of a format times a power of two that the values share: that of the largest of them over that of the
/// format's largest (OCP Microscaling Formats v1.0, 6.3).
void round_to_shared_scale(std::span<float> values, const Format& format) {
  const float most = largest_of(values);
  if (most == 0.0F) return;
  const int scale = std::max(std::ilogb(most) - std::ilogb(format.largest), -127);
  for (float& value : values) value = std::ldexp(rounded_to(std::ldexp(value, -scale), format), scale);
}

/// Of a dtype with groups, which have no infinity.
void round_group(std::span<float> values, Dtype dtype) {
  for (float& value : values) {
    if (std::isinf(value)) value = std::copysign(std::numeric_limits<float>::max(), value);
  }
  switch (dtype) {
    case Dtype::kBfp8:
      return round_to_shared_unit(values, 7);
    case Dtype::kBfp4:
      return round_to_shared_unit(values, 3);
    case Dtype::kMxfp8:
      return round_to_shared_scale(values, kE4m3);
    case Dtype::kMxfp4:
      return round_to_shared_scale(values, kE2m1);
    default:
      break;
  }
}

/// Floats hold every integer up to 2^24, and the limits of these dtypes or what is next to them.
float rounded_to_integer(float value, float least, float most) {
  return std::clamp(std::nearbyint(value), least, most);
}

}  // namespace

Dtype parse_dtype(std::string_view text, std::string_view place) {
  return kOperandDtypes.parse(text == "fp8" ? "fp8_e4m3" : text, place);
}

float rounded(float value, Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return static_cast<float>(Bf16(value));
    case Dtype::kFp16:
      return rounded_to(value, {10, -14, 65504.0F});
    case Dtype::kFp8E4m3:
      return rounded_to(value, kE4m3);
    case Dtype::kFp8E5m2:
      return rounded_to(value, {2, -14, 57344.0F});
    case Dtype::kInt8:
      return rounded_to_integer(value, -128.0F, 127.0F);
    case Dtype::kTf32:
      return rounded_to(value, {10, -126, 0x1.FFCp127F});
    case Dtype::kInt32:
      return rounded_to_integer(value, -0x1p31F, 0x1.FFFFFEp30F);
    case Dtype::kBfp8:
    case Dtype::kBfp4:
    case Dtype::kMxfp8:
    case Dtype::kMxfp4:
      round_group(std::span(&value, 1), dtype);
      break;
    case Dtype::kFp32:
      break;
  }
  return value;
}

void round_row(std::span<float> values, Dtype dtype) {
  if (!is_grouped(dtype)) {
    for (float& value : values) value = rounded(value, dtype);
    return;
  }
  const auto group = static_cast<std::size_t>(group_of(dtype).elements);
  for (; !values.empty(); values = values.subspan(std::min(group, values.size()))) {
    round_group(values.first(std::min(group, values.size())), dtype);
  }
}

}  // namespace kernbench
