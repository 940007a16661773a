// Metrics of a step of data-parallel training.
#pragma once

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<double> kGemmTime{"gemm_ns"};
inline constexpr Metric<double> kCommTime{"comm_ns"};
inline constexpr Metric<double> kExposedCommTime{"exposed_comm_ns"};
inline constexpr Metric<double> kTracedTime{"traced_ns"};
inline constexpr Metric<double> kComputationTime{"computation_ns"};
inline constexpr Metric<double> kCommLatency{"comm_latency_ns"};
inline constexpr Metric<double> kCommOverlapped{"comm_overlapped"};
inline constexpr Metric<double> kIdleTime{"idle_ns"};

}  // namespace kernbench
