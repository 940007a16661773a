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

float rounded_to(float value, const Format& format) {
  if (value == 0.0F || !std::isfinite(value)) return value;
  const int last_bit = std::max(std::ilogb(value), format.least_exponent) - format.fraction_bits;
  const float nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last_bit)), last_bit);
  if (std::abs(nearest) <= format.largest) return nearest;
  return std::copysign(format.has_infinity ? std::numeric_limits<float>::infinity() : format.largest, value);
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
      return rounded_to(value, {3, -6, 448.0F, false});
    case Dtype::kFp8E5m2:
      return rounded_to(value, {2, -14, 57344.0F});
    case Dtype::kInt8:
      return rounded_to_integer(value, -128.0F, 127.0F);
    case Dtype::kTf32:
      return rounded_to(value, {10, -126, 0x1.FFCp127F});
    case Dtype::kInt32:
      return rounded_to_integer(value, -0x1p31F, 0x1.FFFFFEp30F);
    case Dtype::kFp32:
      break;
  }
  return value;
}

}  // namespace kernbench
