// What the trace tables and their columns mean, in plain words: for the pages of reports, and for tables without rows.
#pragma once

#include <string>

#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// A sentence; of an axis of the traces that it is one. "" only for a column that has no words.
[[nodiscard]] std::string column_meaning(const TraceTable& table, const TraceColumn& column);

/// What a row of the table is; "" for a table without words.
[[nodiscard]] std::string table_meaning(const std::string& table);

/// What the table is of that the traces do not have, in a sentence; for one without rows.
[[nodiscard]] std::string empty_meaning(const std::string& table);

}  // namespace kernbench::traces
