// The sizes that a matrix may have.
#pragma once

#include <cstdint>

namespace kernbench {

/// Throws ConfigError, which names the dimension, unless 1 <= value <= 1,000,000.
void check_dimension(const char* name, std::int64_t value);

}  // namespace kernbench
