// Metrics of the probes of a GPU: written by kernbench-gpu, read by who makes a machine of them.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<double> kDeviceMemory{"memory_bytes"};
inline constexpr Metric<std::int64_t> kSharedMemory{"shared_memory_bytes"};
inline constexpr Metric<std::int64_t> kRegisterCount{"registers"};
inline constexpr Metric<std::int64_t> kCtaSlots{"cta_slots"};
inline constexpr Metric<double> kPowerLimitW{"power_limit_w"};
inline constexpr Metric<std::string> kGpuName{"name"};
inline constexpr Metric<double> kSpread{"spread"};
inline constexpr Metric<std::string> kInstruction{"instruction"};
inline constexpr Metric<double> kCyclesPerLine{"cycles_per_line"};
inline constexpr Metric<double> kCyclesPerStep{"cycles_per_step"};
inline constexpr Metric<double> kMacsPerCycle{"macs_per_cycle"};
inline constexpr Metric<double> kNsPerLine{"ns_per_line"};

}  // namespace kernbench
