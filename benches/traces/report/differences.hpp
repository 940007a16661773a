// How runs differ: each value of one beside that of the first (ADR-0040, 40.45).
#pragma once

#include <string>
#include <vector>

#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// Of the tables `timeline` and `gemms` with the axis kRunAxis: a row a point, value and run but the first. Values are
/// means over the ranks; those that one of the two runs lacks are empty.
[[nodiscard]] TraceTable differences_table(const std::vector<TraceTable>& tables);

/// "Of 12 values 7 differ ...": what the table comes to, in a sentence.
[[nodiscard]] std::string differences_headline(const TraceTable& differences);

}  // namespace kernbench::traces
