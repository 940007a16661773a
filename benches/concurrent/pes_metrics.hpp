// Metrics of a GEMM beside a collective on PEs, written by a run and read by its report.
#pragma once

#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<bool> kBothBuffersInHbm{"buffers_in_hbm"};
inline constexpr Metric<double> kCollectiveAfter{"collective_after_ns"};
inline constexpr Metric<std::string> kGemmBoundBottleneck{"gemm_bound_bottleneck"};
inline constexpr Metric<std::string> kSharedLink{"shared_link"};
inline constexpr Metric<double> kSharedLinkOfGemm{"shared_link_gemm_ns"};
inline constexpr Metric<double> kSharedLinkOfCollective{"shared_link_collective_ns"};
inline constexpr Metric<double> kBusiestLinkTime{"busiest_link_ns"};

}  // namespace kernbench
