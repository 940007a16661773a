// What tables over several ranks share: the ranks of one point of a sweep, and instants on a clock that they have in
// common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// The traces of one point, by rank. None is owned.
using SweepPoint = std::vector<const PlacedTrace*>;

/// In the order in which points first appear in `traces`, which have to outlive them.
[[nodiscard]] std::vector<SweepPoint> sweep_points(const std::vector<PlacedTrace>& traces);

/// Where the trace is in a point that has it.
[[nodiscard]] std::size_t place_in_point(const SweepPoint& point, const PlacedTrace* placed);

/// Columns of the axes alone; of a trace of the point, their cells.
[[nodiscard]] std::vector<TraceColumn> axis_columns(const std::vector<PlacedTrace>& traces);

/// Where the file has the instant `time` on its own axis: `ts` in µs, exact, as text for it may have more digits than a
/// double.
[[nodiscard]] std::string instant_us(const RankTrace& trace, TracePs time);

/// What is added to times of `trace` so that they are on the clock of `first`: the difference of their files' `ts` and
/// baseTimeNanoseconds. Throws ConfigError that names the file where they are more than 53 days apart.
[[nodiscard]] TracePs clock_offset(const RankTrace& trace, const RankTrace& first);

}  // namespace kernbench::traces
