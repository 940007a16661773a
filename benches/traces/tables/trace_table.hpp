// A table as the trace commands give it: written as CSV and JSON, and shown, in one place each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "benches/io/text/json.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "sim/base/units.hpp"

namespace kernbench::traces {

struct TraceColumn {
  enum class Type { kText, kInteger, kReal, kTime };

  std::string name;  ///< as in CSV and JSON, with the unit's suffix: "busy_us"
  std::string unit;  ///< "µs"; "" none
  Type type = Type::kReal;
  int rank = 0;         ///< on a terminal: 0 always shown, of the others the highest goes first
  std::string bound{};  ///< "≤" or "≥": what cells of rows that are bounds are then; "" they are exact all the same
};

/// Nothing, a count, a number, a text, a time that is exact.
using TraceCell = std::variant<std::monostate, std::int64_t, double, std::string, Picoseconds>;

struct TraceTable {
  std::string name;  ///< "timeline"
  std::vector<TraceColumn> columns;
  std::vector<std::vector<TraceCell>> rows;
  std::vector<std::string> notes{};       ///< lines that say what it rests on; above it, and in the JSON document
  std::vector<std::size_t> bound_rows{};  ///< in rising order: rows whose numbers are bounds, where columns say so

  /// Throws std::logic_error where it has not one cell a column.
  void add_row(std::vector<TraceCell> row, bool is_bound = false);
};

/// A cell as CSV has it, without quotes; times are µs with all their decimals.
[[nodiscard]] std::string cell_text(const TraceCell& cell);
/// Its number, µs of a time; nothing where it has none.
[[nodiscard]] std::optional<double> cell_number(const TraceCell& cell);
/// As the JSON document has it; null where it is empty.
[[nodiscard]] Json cell_json(const TraceCell& cell);

/// Throws ConfigError where an axis of --layout is called as a column of the table is.
void require_columns_once(const TraceTable& table);

/// RFC 4180, \n line ends, a head line. Times are µs with all their decimals, up to six; numbers have ten digits.
[[nodiscard]] std::string table_csv(const TraceTable& table);

/// {"schema": "kernbench.trace-table/1", "table", "columns": [{"name", "unit", "type"}], "rows": [{column: value}]},
/// with "notes" where there are some; a cell without value is null.
[[nodiscard]] std::string table_json(const TraceTable& table);

/// A column's rank as it is shown: `kernel` is always, where a row has no shape that tells it from others.
[[nodiscard]] int shown_rank(const TraceTable& table, const TraceColumn& column);

/// For people: its notes, then the rows, aligned, times with three decimals, units in the heads, bounds with their
/// sign; a table without rows is a line that says so.
[[nodiscard]] std::string table_text(const TraceTable& table, const Terminal& terminal);

/// The axis that kernbench trace compare adds: whose traces they are.
inline constexpr const char* kRunAxis = "run";

/// The column of ranks: it stands last of those that say where a row is from.
inline constexpr const char* kRankColumn = "rank";

/// Columns of the axes that any of the traces has, in order of first appearance, then `rank`.
[[nodiscard]] std::vector<TraceColumn> place_columns(const std::vector<PlacedTrace>& traces);
/// A trace's cells of those columns; an axis that it does not have is empty.
[[nodiscard]] std::vector<TraceCell> place_cells(const std::vector<TraceColumn>& columns, const PlacedTrace& trace);

}  // namespace kernbench::traces
