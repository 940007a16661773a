// Metrics of kernels on a GPU, predicted and measured.
#pragma once

#include <cstdint>
#include <string>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

inline constexpr Metric<std::string> kKernelText{"kernel"};
inline constexpr Metric<std::int64_t> kCtas{"ctas"};
inline constexpr Metric<std::int64_t> kCtasLeft{"ctas_left"};
inline constexpr Metric<std::int64_t> kRoundCount{"rounds"};
inline constexpr Metric<std::int64_t> kRoundsLeft{"rounds_left"};
inline constexpr Metric<std::int64_t> kSliceCount{"slices"};
inline constexpr Metric<double> kSliceMma{"slice_mma_ns"};
inline constexpr Metric<double> kSliceRequest{"slice_request_ns"};
inline constexpr Metric<double> kSliceReceive{"slice_receive_ns"};
inline constexpr Metric<double> kSliceLatency{"slice_latency_ns"};
inline constexpr Metric<double> kSliceTime{"slice_ns"};
inline constexpr Metric<double> kStoreTime{"store_ns"};
inline constexpr Metric<double> kSplitTime{"split_ns"};
inline constexpr Metric<double> kHostWait{"host_wait_ns"};
inline constexpr Metric<std::int64_t> kL2Bytes{"l2_bytes"};
inline constexpr Metric<std::int64_t> kSmCount{"sms"};
inline constexpr Metric<std::int64_t> kThreadCount{"threads"};
inline constexpr Metric<double> kSmTime{"sm_ns"};
inline constexpr Metric<double> kL2Time{"l2_ns"};
inline constexpr Metric<double> kHbmTime{"hbm_ns"};
inline constexpr Metric<double> kSmClockMhz{"sm_clock_mhz"};
inline constexpr Metric<double> kClockMhz{"clock_mhz"};
inline constexpr Metric<double> kPowerW{"power_w"};

// Of NCCL.
inline constexpr Metric<std::string> kNcclProtocol{"protocol"};
inline constexpr Metric<std::int64_t> kNcclChannels{"channels"};

}  // namespace kernbench
