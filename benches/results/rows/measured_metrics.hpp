// Metrics of rows beside measured ones, and of errors over many of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr std::string_view kOfMeasured = "measured_";  ///< before the name of what is predicted
inline constexpr Metric<double> kMeasuredTime{"measured_ns"};
inline constexpr Metric<double> kRerunTime{"rerun_time_ns"};
inline constexpr Metric<double> kRerunSpread{"rerun_spread"};
inline constexpr Metric<double> kError{"error"};
inline constexpr Metric<std::string> kDeviceName{"device"};
inline constexpr Metric<std::string> kTraceFolder{"trace"};

// Over rows; behind a prefix those of another predictor.
inline constexpr Metric<std::int64_t> kRowCount{"rows"};
inline constexpr Metric<double> kMeanError{"mean"};
inline constexpr Metric<double> kMedianError{"median"};
inline constexpr Metric<double> kP90Error{"p90"};
inline constexpr Metric<double> kBias{"bias"};
inline constexpr Metric<double> kMeanOfErrors{"mean_error"};
inline constexpr Metric<double> kMedianOfErrors{"median_error"};
inline constexpr Metric<double> kP90OfErrors{"p90_error"};
inline constexpr Metric<double> kUntouchedTime{"untouched_ns"};  ///< where nothing slows anything
inline constexpr Metric<double> kUntouchedMeanError{"untouched_mean"};

// Of one bench, whose files share them.
inline constexpr Metric<std::string> kClockState{"state"};
inline constexpr Metric<double> kMeasuredSlowdown{"measured_slowdown"};
inline constexpr Metric<double> kMeasuredCollectiveSlowdown{"measured_collective_slowdown"};
inline constexpr Metric<double> kMeasuredAlone{"measured_alone_ns"};
inline constexpr Metric<std::string> kBlockText{"block"};
inline constexpr Metric<std::int64_t> kWorldSize{"world_size"};

}  // namespace kernbench
