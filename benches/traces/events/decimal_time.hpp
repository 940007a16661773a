// Times as traces write them: decimal microseconds, taken from their digits, since a double has no whole nanoseconds
// left at 4e12 µs.
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/checked.hpp"

namespace kernbench::traces {

/// Picoseconds of a JSON number of microseconds: "4414803000792.245" is 4414803000792245000. Exponents are taken; what
/// is below a picosecond is rounded, halves away from zero. Nothing for what is no JSON number, or 1e30 ps and more.
[[nodiscard]] std::optional<Int128> picoseconds_from_microseconds(std::string_view digits);

}  // namespace kernbench::traces
