// Metrics of a GEMM on one PE, written by a run and read by its report.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<double> kInBurstsTime{"in_bursts_ns"};
inline constexpr Metric<std::string> kInBurstsLimitedBy{"in_bursts_limited_by"};
inline constexpr Metric<std::int64_t> kStepsPassedOver{"steps_passed_over"};

}  // namespace kernbench
