// When an event begins and ends, from the digits of its `ts` and `dur` (ADR-0040, 40.3).
#pragma once

#include <string>
#include <string_view>

#include "benches/traces/events/rank_trace.hpp"
#include "sim/base/checked.hpp"

namespace kernbench::traces {

struct EventTimes {
  TracePs start = 0;  ///< relative to the origin
  TracePs end = 0;
};

/// `origin` in ps; no duration is 0. Returns what is wrong with them, "" where nothing is: no number, a negative
/// duration, a time more than 53 days from the origin.
[[nodiscard]] std::string read_times(std::string_view ts, std::string_view duration, Int128 origin, EventTimes& times);

}  // namespace kernbench::traces
