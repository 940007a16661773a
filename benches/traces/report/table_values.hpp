// Trace tables as figures and comparisons read them: by the names of columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

class TableValues {
 public:
  explicit TableValues(const TraceTable& table) : table_(table) {}

  [[nodiscard]] std::size_t size() const { return table_.rows.size(); }
  /// The cell's text as in CSV; "" where it is empty, or there is no such column.
  [[nodiscard]] std::string text(std::size_t row, const std::string& column) const;
  /// Its number, µs of a time; nothing where it has none.
  [[nodiscard]] std::optional<double> number(std::size_t row, const std::string& column) const;
  /// Columns that say where a row is from: the axes and, last, `rank`; none where the table has no `rank`.
  [[nodiscard]] std::vector<std::string> places() const;
  /// The column's values, each once: integers by size, texts in the order in which rows show them.
  [[nodiscard]] std::vector<std::string> values(const std::string& column) const;

 private:
  [[nodiscard]] const TraceCell* cell(std::size_t row, const std::string& column) const;

  const TraceTable& table_;
};

/// The table of this name; nullptr if there is none.
[[nodiscard]] const TraceTable* find_table(const std::vector<TraceTable>& tables, const std::string& name);

/// The axes of these traces: what tables have before `rank`.
[[nodiscard]] std::vector<std::string> sweep_axes(const std::vector<TraceTable>& tables);

/// "channels 28, threads 256", as far as the row has these columns; of kRunAxis its value alone.
[[nodiscard]] std::string place_text(const TableValues& table, std::size_t row,
                                     const std::vector<std::string>& columns);

/// "mm 8192×8192×2048 TN BFloat16", of a row that has the columns of add_shape_columns; its kernel where the shape is
/// not known.
[[nodiscard]] std::string gemm_text(const TableValues& table, std::size_t row);

}  // namespace kernbench::traces
