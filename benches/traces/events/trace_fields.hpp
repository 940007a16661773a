// The fields of a trace beside its events that are kept (ADR-0040, 40.1).
#pragma once

#include <string>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// Fills distributed, base_time_ns and devices of `trace`, once all batches have been read. Throws ConfigError for a
/// field that is no JSON; `file` is for messages.
void read_trace_fields(const EventBatches& batches, const std::string& file, RankTrace& trace);

}  // namespace kernbench::traces
