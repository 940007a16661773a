// Metrics of what-ifs, of a bench or of the points of a file.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<std::int64_t> kPointCount{"points"};
inline constexpr Metric<std::int64_t> kRunCount{"runs"};
inline constexpr Metric<std::string> kLongestPoint{"most"};
inline constexpr Metric<double> kLongestShare{"most_share"};
inline constexpr Metric<double> kTimesFaster{"times_faster"};
inline constexpr Metric<double> kAddedCost{"added_cost"};

}  // namespace kernbench
