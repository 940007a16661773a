// Metrics of operators, simulated, predicted and measured.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<double> kOperatorEfficiency{"efficiency"};
inline constexpr Metric<double> kRooflineTime{"roofline_ns"};
inline constexpr Metric<std::string> kRooflineBottleneck{"roofline_bottleneck"};
inline constexpr Metric<double> kMemoryMb{"memory_mb"};
inline constexpr Metric<double> kInferenceSpeed{"inference_speed"};
inline constexpr Metric<double> kThroughputGbps{"throughput_gbps"};
inline constexpr Metric<double> kBandwidthShare{"bandwidth_share"};
inline constexpr Metric<double> kVectorUtilisation{"vector_util"};
inline constexpr Metric<std::int64_t> kPieceCount{"pieces"};
inline constexpr Metric<std::int64_t> kPieceElements{"piece_elements"};
inline constexpr Metric<double> kPlanBoundTime{"plan_bound_ns"};
inline constexpr Metric<std::string> kPlanBottleneck{"plan_bottleneck"};
inline constexpr Metric<std::string> kKernelsText{"kernels"};

}  // namespace kernbench
