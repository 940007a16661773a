#pragma once

#include <cmath>

/// Whether a value is what is expected, but for a fraction of it.
[[nodiscard]] inline bool near(double value, double expected, double tolerance = 1e-9) {
  return std::abs(value - expected) <= tolerance * std::abs(expected);
}
