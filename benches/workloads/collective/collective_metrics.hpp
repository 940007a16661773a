// Metrics of a collective on PEs or GPUs.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<std::int64_t> kRankCount{"ranks"};
inline constexpr Metric<double> kAlgbwGbs{"algbw_gbs"};
inline constexpr Metric<double> kBusbwGbs{"busbw_gbs"};
inline constexpr Metric<std::string> kBoundBy{"bound"};
inline constexpr Metric<bool> kBuffersInHbm{"in_hbm"};
inline constexpr Metric<double> kLinkUtilisationMean{"link_util_mean"};
inline constexpr Metric<double> kLinkUtilisationMax{"link_util_max"};

// Of the rows that are derived of several: the fastest algorithm, and a fit of alpha and beta.
inline constexpr Metric<std::string> kFastestAlgorithm{"algorithm"};
inline constexpr Metric<std::string> kNextAlgorithm{"next"};
inline constexpr Metric<double> kNextTime{"next_time_ns"};
inline constexpr Metric<bool> kIsTie{"tie"};
inline constexpr Metric<double> kAlphaNs{"alpha_ns"};
inline constexpr Metric<double> kBetaNsPerByte{"beta_ns_per_byte"};
inline constexpr Metric<std::int64_t> kFitFrom{"from_bytes"};
inline constexpr Metric<std::int64_t> kFitTo{"to_bytes"};
inline constexpr Metric<double> kResidualMax{"residual_max"};

}  // namespace kernbench
