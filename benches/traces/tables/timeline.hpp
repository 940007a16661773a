// Where a rank's time went: computation, exposed communication and copies, idle and what it waited for (ADR-0040, 40.13
// and 40.14).
#pragma once

#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// All in picoseconds.
struct Timeline {
  std::int64_t gpu_events = 0;
  TracePs computation = 0;
  TracePs exposed_communication = 0;
  TracePs exposed_copy = 0;
  TracePs busy = 0;
  TracePs total = 0;
  TracePs communication = 0;  ///< overlapped or not
  TracePs copy = 0;           ///< overlapped or not
  TracePs overlapped_communication = 0;

  TracePs idle = 0;             ///< the sum of the next four
  TracePs idle_host = 0;        ///< the next event's launch ended after the gap began
  TracePs idle_dependency = 0;  ///< launched before, and the gap has 2 µs or more
  TracePs idle_gap = 0;         ///< launched before, and it is shorter
  TracePs idle_unknown = 0;     ///< the next event has no launch

  std::int64_t left_out_events = 0;  ///< GPU events that do not count
  TracePs left_out = 0;              ///< sum of their durations
};

/// All of it is 0 where no event is selected.
[[nodiscard]] Timeline timeline_of(const RankTrace& trace, const TraceSelection& selection);

/// A row a trace.
[[nodiscard]] TraceTable timeline_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

}  // namespace kernbench::traces
