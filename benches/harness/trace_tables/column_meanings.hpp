// What the columns of the trace tables mean, in plain words: for the pages of reports.
#pragma once

#include <string>

#include "benches/harness/trace_tables/trace_table.hpp"

namespace kernbench::traces {

/// A sentence; of an axis of the traces that it is one. "" only for a column that has no words.
[[nodiscard]] std::string column_meaning(const TraceTable& table, const TraceColumn& column);

/// What a row of the table is; "" for a table without words.
[[nodiscard]] std::string table_meaning(const std::string& table);

}  // namespace kernbench::traces
