// The sizes that a matrix may have.
#pragma once

#include <cstdint>

namespace kernbench {

inline constexpr std::int64_t kLargestDimension = 1'000'000;

/// Throws ConfigError, which names the dimension, unless 1 <= value <= kLargestDimension.
void check_dimension(const char* name, std::int64_t value);

}  // namespace kernbench
