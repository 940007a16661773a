// Which GPU events of a trace a table is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/events/trace_files.hpp"

namespace kernbench::traces {

/// Numbers of steps, both included.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// "3..5", "3". Throws ConfigError that names --steps.
[[nodiscard]] StepRange parse_steps(const std::string& text);

struct TraceSelection {
  bool unlinked = false;           ///< events without a launch in the file count too (40.6)
  std::optional<StepRange> steps;  ///< none: the whole file
};

/// Throws ConfigError that names the file where it has none of the steps, with those that it has.
void require_steps(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

/// Ids of the GPU events that count, by start.
[[nodiscard]] std::vector<TraceId> selected_events(const RankTrace& trace, const TraceSelection& selection);

}  // namespace kernbench::traces
