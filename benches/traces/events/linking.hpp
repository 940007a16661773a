// Which launch a GPU event comes from, and which GEMM operator: by correlation ids and nesting, never by flows.
#pragma once

#include <cstdint>
#include <deque>

#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// Sets launch, gemm_op and is_linked of the trace's GPU events and gemm_op of its launches (ADR-0040, 40.6 and 40.8),
/// drops launches of no GPU event, and sorts GPU events by start. `external_ids` has one for each GPU event; 0: none.
void link_events(RankTrace& trace, const std::deque<std::uint64_t>& external_ids);

}  // namespace kernbench::traces
