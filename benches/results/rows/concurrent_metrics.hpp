// Metrics of a GEMM and a collective at the same time.
#pragma once

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

// Behind a prefix ("gemm_", "collective_") or, of measured products, without one.
inline constexpr Metric<double> kAloneTime{"alone_ns"};
inline constexpr Metric<double> kTogetherTime{"with_ns"};
inline constexpr Metric<double> kSlowdown{"slowdown"};
inline constexpr Metric<double> kGemmAlone{"gemm_alone_ns"};
inline constexpr Metric<double> kGemmTogether{"gemm_with_ns"};
inline constexpr Metric<double> kGemmSlowdown{"gemm_slowdown"};
inline constexpr Metric<double> kCollectiveTime{"collective_ns"};
inline constexpr Metric<double> kCollectiveAlone{"collective_alone_ns"};
inline constexpr Metric<double> kCollectiveTogether{"collective_with_ns"};
inline constexpr Metric<double> kCollectiveSlowdown{"collective_slowdown"};

}  // namespace kernbench
