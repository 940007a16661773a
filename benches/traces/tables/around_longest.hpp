// What all ranks of a point ran around the longest call of the GEMM that varies most (ADR-0040, 40.50).
#pragma once

#include <algorithm>
#include <vector>

#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// How long before and after a call of that length is shown.
[[nodiscard]] constexpr TracePs time_around(TracePs call) {
  constexpr TracePs kMost = 2'000'000'000;  // ps
  return std::min(2 * call, kMost);
}

/// A row a GPU event of the call's point, by rank, stream and start; without rows where there is no GEMM. `groups` are
/// of `traces`.
[[nodiscard]] TraceTable around_longest_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                              const std::vector<TimedGroup>& groups);

}  // namespace kernbench::traces
