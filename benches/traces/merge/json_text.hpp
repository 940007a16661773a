// JSON strings and times, appended without a copy between.
#pragma once

#include <string>
#include <string_view>

#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// Quoted; `text` is UTF-8.
void append_json_text(std::string& out, std::string_view text);

/// µs with three decimals, six where there are picoseconds: "12.345".
void append_microseconds(std::string& out, TracePs time);

}  // namespace kernbench::traces
