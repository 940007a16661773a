// Counts as the closed forms of GPUs take them.
#pragma once

#include <cstdint>

namespace kernbench {

inline constexpr std::int64_t kWarp = 32;  ///< threads

inline double real(std::int64_t count) { return static_cast<double>(count); }

}  // namespace kernbench
