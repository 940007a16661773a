// Parses all events of a trace, whoever parses a batch, and deals with those that do not parse (ADR-0040, 40.11).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"

namespace kernbench::traces {

/// As EventParser::parse: true where all of the batch parsed. A batch may come again, or from an event of it on.
using ParseBatch = std::function<bool(const EventBatch&, BadEvent&)>;

/// Returns how many events did not parse and were left out, one that the end of a truncated file cuts (see
/// EventBatches::truncated_at) among them. Throws ConfigError "FILE: ..." with byte and text for the first of them
/// unless `skip_bad`, and as EventBatches::next.
std::uint64_t parse_events(EventBatches& batches, const ParseBatch& parse, const std::string& file, bool skip_bad);

}  // namespace kernbench::traces
