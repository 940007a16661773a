// Which step a GPU event belongs to.
#pragma once

#include <cstddef>
#include <optional>

#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// The place in trace.steps of the step that began last, among those that hold the event's start, or, where steps are
/// annotations of the CPU, its launch's start (its own where it has none). Nothing: it lies outside of all (40.9).
[[nodiscard]] std::optional<std::size_t> step_of(const RankTrace& trace, const GpuEvent& event);

}  // namespace kernbench::traces
