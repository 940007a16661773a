// Metrics of a run, simulated or predicted, that rows of several workloads have.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

// Time and what of the peak is reached.
inline constexpr Metric<double> kTime{"time_ns"};
inline constexpr Metric<double> kTimeMs{"time_ms"};
inline constexpr Metric<double> kTflops{"tflops"};
inline constexpr Metric<double> kPeakFraction{"peak_fraction"};
inline constexpr Metric<double> kMacUtilisation{"mac_util"};
inline constexpr Metric<double> kUsefulEfficiency{"useful_eff"};
inline constexpr Metric<std::int64_t> kUsefulMacs{"useful_macs"};
inline constexpr Metric<double> kCompositeMacUtilisation{"mac_util_composite"};
inline constexpr Metric<double> kCompositeUsefulEfficiency{"useful_eff_composite"};
inline constexpr Metric<double> kTheoreticalTflops{"theoretical_tflops"};
inline constexpr Metric<double> kLaunchTime{"launch_ns"};

// The least time in closed form, and what it is bound by; in rows of theory `bottleneck` alone.
inline constexpr Metric<double> kBoundTime{"bound_ns"};
inline constexpr Metric<double> kBoundCompositeTime{"bound_composite_ns"};
inline constexpr Metric<std::string> kBoundBottleneck{"bound_bottleneck"};
inline constexpr Metric<double> kBoundFraction{"bound_fraction"};
inline constexpr Metric<std::string> kBottleneck{"bottleneck"};

// Where the time went: limit.hpp, row_from_multi_pe.hpp.
inline constexpr Metric<std::string> kLimitedBy{"limited_by"};
inline constexpr Metric<double> kLimitedByShare{"limited_by_share"};
inline constexpr Metric<std::string> kCriticalPe{"critical_pe"};
inline constexpr Metric<std::int64_t> kPeCount{"pes"};
inline constexpr Metric<std::int64_t> kPesSimulated{"pes_simulated"};
inline constexpr Metric<std::int64_t> kIdlePes{"idle_pes"};
inline constexpr Metric<std::int64_t> kTilesPassedOver{"tiles_passed_over"};
inline constexpr Metric<double> kArrayIdle{"array_idle_ns"};
inline constexpr Metric<double> kImbalance{"imbalance"};
inline constexpr Metric<double> kWorkImbalance{"work_imbalance"};
inline constexpr Metric<std::int64_t> kReplicatedBytes{"replicated_bytes"};
inline constexpr Metric<double> kReplicatedTime{"replicated_ns"};

// Memories and networks.
inline constexpr Metric<std::int64_t> kHbmBytes{"hbm_bytes"};
inline constexpr Metric<std::int64_t> kHbmRead{"hbm_read_bytes"};
inline constexpr Metric<std::int64_t> kHbmWritten{"hbm_written_bytes"};
inline constexpr Metric<std::int64_t> kHbmBursts{"hbm_bursts"};
inline constexpr Metric<double> kHbmBusy{"hbm_busy_ns"};
inline constexpr Metric<std::int64_t> kTcmBytes{"tcm_bytes"};
inline constexpr Metric<std::int64_t> kNetworkBytes{"network_bytes"};
inline constexpr Metric<std::int64_t> kPortBytes{"port_bytes"};
inline constexpr Metric<std::int64_t> kPacketBytes{"packet_bytes"};
inline constexpr Metric<std::int64_t> kReceivedBytes{"received_bytes"};
inline constexpr Metric<std::int64_t> kReceivedBytesTotal{"received_bytes_total"};
inline constexpr Metric<std::string> kBusiestLink{"busiest_link"};
inline constexpr Metric<double> kBusiestLinkUtilisation{"busiest_link_util"};
inline constexpr Metric<std::string> kBusiestController{"busiest_controller"};
inline constexpr Metric<double> kBusiestControllerLoad{"busiest_controller_load"};
inline constexpr Metric<double> kGbs{"gbs"};
inline constexpr Metric<double> kClosedFormTime{"closed_form_ns"};
inline constexpr Metric<double> kOneWayTime{"one_way_ns"};
inline constexpr Metric<std::string> kClosedForm{"closed_form"};
inline constexpr Metric<double> kPeakGbs{"peak_gbs"};
inline constexpr Metric<double> kUtilisation{"utilisation"};

// How a GEMM was mapped.
inline constexpr Metric<std::string> kMappingText{"mapping"};
inline constexpr Metric<std::string> kChosenText{"chosen"};
inline constexpr Metric<std::string> kChosenPlacement{"chosen_placement"};
inline constexpr Metric<std::int64_t> kSimulatedMappings{"mappings_simulated"};

// How it was simulated and checked.
inline constexpr Metric<std::int64_t> kEngineWakeups{"engine_wakeups"};
inline constexpr Metric<std::int64_t> kWakeupCount{"wakeups"};
inline constexpr Metric<std::int64_t> kPacketHops{"packet_hops"};
inline constexpr Metric<std::int64_t> kValuesCompared{"values_compared"};
inline constexpr Metric<std::int64_t> kStepCount{"steps"};

// Energy: energy_row.hpp.
inline constexpr Metric<double> kEnergyPj{"energy_pj"};
inline constexpr Metric<std::string> kEnergyMissing{"energy_missing"};
inline constexpr Metric<double> kMeanPower{"avg_power_w"};
inline constexpr Metric<double> kTflopsPerWatt{"tflops_per_watt"};

}  // namespace kernbench
