// What the analysis says of a step of data-parallel training, measured or simulated: the same tables, added up
// (adr/0059, 59.9).
#pragma once

#include <cstdint>
#include <vector>

#include "benches/traces/events/trace_files.hpp"

namespace kernbench::traces {

/// Times in ns, of a step, the mean over the ranks.
struct StepTimes {
  double total = 0;         ///< of `timeline` (40.13), as the next three
  double computation = 0;   ///< passes among it
  double exposed_comm = 0;  ///< communication runs and nothing else does
  double idle = 0;
  double comm = 0;             ///< sum of the collectives' durations
  double comm_latency = 0;     ///< sum of their latencies (40.21): from when all ranks are there
  double comm_overlapped = 0;  ///< of the time in which communication runs, 0 to 1
  double gemm = 0;             ///< sum of the durations of the calls' kernels
  double gemm_slowdown = 0;    ///< that over what the same kernels take alone (40.24); 0 where it is not known
};

/// Of the ranks of one point, which hold so many steps.
[[nodiscard]] StepTimes step_times(const std::vector<PlacedTrace>& ranks, std::int64_t steps);

/// GEMM calls of a rank, which say how many steps there are.
[[nodiscard]] std::int64_t gemm_calls(const PlacedTrace& rank);

}  // namespace kernbench::traces
