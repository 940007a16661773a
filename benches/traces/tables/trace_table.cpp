#include "benches/traces/tables/trace_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "benches/io/text/csv.hpp"
#include "benches/io/text/json.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/read_number.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/traces/tables/column_meanings.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::int64_t kPsInMicrosecond = 1'000'000;
constexpr const char* kKernelColumn = "kernel";

/// µs with up to six decimals, none that is 0 at the end.
std::string exact_microseconds(Picoseconds time) {
  const bool is_negative = time.value < 0;
  const std::int64_t size = is_negative ? -time.value : time.value;
  std::string text = (is_negative ? "-" : "") + std::to_string(size / kPsInMicrosecond);
  const std::string decimals = std::to_string(kPsInMicrosecond + size % kPsInMicrosecond).substr(1);
  const std::size_t last = decimals.find_last_not_of('0');
  if (last != std::string::npos) text += "." + decimals.substr(0, last + 1);
  return text;
}

std::string real_text(double value) { return std::isfinite(value) ? formatted("%.10g", value) : ""; }

std::string shown_cell(const TraceCell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count < 100'000 ? cell_text(cell) : grouped(*count);
  if (const auto* real = std::get_if<double>(&cell)) return formatted("%.3f", *real);
  if (const auto* time = std::get_if<Picoseconds>(&cell)) {
    return formatted("%.3f", static_cast<double>(time->value) / static_cast<double>(kPsInMicrosecond));
  }
  return printable(cell_text(cell));
}

const char* type_word(TraceColumn::Type type) {
  switch (type) {
    case TraceColumn::Type::kText:
      return "text";
    case TraceColumn::Type::kInteger:
      return "integer";
    default:
      return "number";
  }
}

/// "busy (µs)" for busy_us.
std::string title_of(const TraceColumn& column) {
  std::string name = column.name;
  if (column.unit.empty()) return name;
  const std::size_t suffix = name.rfind('_');
  if (suffix != std::string::npos && (column.unit == "µs" || column.unit == "%")) name.erase(suffix);
  return name + " (" + column.unit + ")";
}

constexpr std::size_t kShownKernel = 64;  // characters

std::optional<std::size_t> place_of(const TraceTable& table, const char* column) {
  const auto found = std::ranges::find(table.columns, column, &TraceColumn::name);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// Names of kernels by what is shown of them: shortened, but for those that would be the same.
std::map<std::string, std::string> shown_kernels(const TraceTable& table, std::size_t column) {
  std::map<std::string, std::set<std::string>> names;
  for (const auto& row : table.rows) {
    const std::string name = printable(cell_text(row[column]));
    names[shortened(name, kShownKernel)].insert(name);
  }
  std::map<std::string, std::string> shown;
  for (const auto& [text, all] : names) {
    for (const std::string& name : all) shown[name] = all.size() == 1 ? text : name;
  }
  return shown;
}

}  // namespace

int shown_rank(const TraceTable& table, const TraceColumn& column) {
  const std::optional<std::size_t> size = place_of(table, "M");
  if (column.name != kKernelColumn || !size) return column.rank;
  const auto has_no_shape = [&size](const auto& row) { return std::holds_alternative<std::monostate>(row[*size]); };
  return std::ranges::any_of(table.rows, has_no_shape) ? 0 : column.rank;
}

std::string cell_text(const TraceCell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  if (const auto* real = std::get_if<double>(&cell)) return real_text(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Picoseconds>(&cell)) return exact_microseconds(*time);
  return "";
}

std::optional<double> cell_number(const TraceCell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&cell)) return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  if (const auto* time = std::get_if<Picoseconds>(&cell)) {
    return static_cast<double>(time->value) / static_cast<double>(kPsInMicrosecond);
  }
  return std::nullopt;
}

Json cell_json(const TraceCell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const std::string number = cell_text(cell);
  return number.empty() ? Json() : Json::parse(number);
}

void TraceTable::add_row(std::vector<TraceCell> row, bool is_bound) {
  if (row.size() != columns.size()) throw std::logic_error("a row of table " + name + " has not a cell a column");
  if (is_bound) bound_rows.push_back(rows.size());
  rows.push_back(std::move(row));
}

void require_columns_once(const TraceTable& table) {
  std::set<std::string> names;
  for (const TraceColumn& column : table.columns) {
    if (names.insert(column.name).second) continue;
    throw ConfigError("--layout: {" + column.name + "}: table " + table.name +
                      " has a column of that name: expected another one");
  }
}

std::string table_csv(const TraceTable& table) {
  std::string text;
  for (const TraceColumn& column : table.columns) text += (text.empty() ? "" : ",") + csv_cell(column.name);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cell_text(row[i]));
    text += '\n';
  }
  return text;
}

std::string table_json(const TraceTable& table) {
  Json document{{"schema", "kernbench.trace-table/1"}, {"table", table.name}, {"columns", Json::array()}};
  for (const TraceColumn& column : table.columns) {
    document["columns"].push_back({{"name", column.name}, {"unit", column.unit}, {"type", type_word(column.type)}});
  }
  if (!table.notes.empty()) document["notes"] = Json::array();
  for (const std::string& note : table.notes) document["notes"].push_back(note);
  document["rows"] = Json::array();
  for (const auto& row : table.rows) {
    Json line = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) line[table.columns[i].name] = cell_json(row[i]);
    document["rows"].push_back(std::move(line));
  }
  return document.dump(2) + "\n";
}

std::string table_text(const TraceTable& table, const Terminal& terminal) {
  std::string text;
  for (const std::string& note : table.notes) text += note + "\n";
  if (!table.notes.empty()) text += "\n";
  if (table.rows.empty()) return text + prose(empty_meaning(table.name), terminal);
  std::vector<TableColumn> columns;
  std::map<std::string, std::string> kernels;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TraceColumn& column = table.columns[i];
    const Align align = column.type == TraceColumn::Type::kText ? Align::kLeft : Align::kRight;
    const int rank = shown_rank(table, column);
    const bool is_shortened = rank != column.rank && terminal.width > 0;
    if (is_shortened) kernels = shown_kernels(table, i);
    columns.push_back({.title = title_of(column), .align = align, .rank = rank, .wraps = is_shortened});
  }
  Table shown(columns);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const bool is_bound = std::ranges::binary_search(table.bound_rows, row);
    std::vector<TableCell> cells;
    cells.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string cell = shown_cell(table.rows[row][i]);
      if (columns[i].wraps) cell = kernels.at(cell);
      const std::string& bound = table.columns[i].bound;
      cells.emplace_back(is_bound && !bound.empty() && !cell.empty() ? bound + " " + cell : cell);
    }
    shown.add_row(std::move(cells));
  }
  return text + shown.format(terminal);
}

std::vector<TraceColumn> place_columns(const std::vector<PlacedTrace>& traces) {
  std::vector<TraceColumn> columns;
  for (const PlacedTrace& trace : traces) {
    for (const auto& [name, value] : trace.axes) {
      auto column = std::ranges::find(columns, name, &TraceColumn::name);
      if (column == columns.end()) column = columns.insert(column, {name, "", TraceColumn::Type::kInteger});
      if (!read_number(value)) column->type = TraceColumn::Type::kText;
    }
  }
  columns.push_back({kRankColumn, "", TraceColumn::Type::kInteger});
  return columns;
}

std::vector<TraceCell> place_cells(const std::vector<TraceColumn>& columns, const PlacedTrace& trace) {
  std::vector<TraceCell> cells;
  for (const TraceColumn& column : columns) {
    const auto axis = std::ranges::find(trace.axes, column.name, &TraceAxes::value_type::first);
    if (axis == trace.axes.end()) {
      cells.emplace_back(column.name == kRankColumn ? TraceCell(trace.rank) : TraceCell());
      continue;
    }
    const bool is_whole = column.type == TraceColumn::Type::kInteger && axis->second.size() < 18 &&
                          axis->second.find_first_not_of("0123456789") == std::string::npos;
    cells.push_back(is_whole ? TraceCell(std::int64_t{std::stoll(axis->second)}) : TraceCell(axis->second));
  }
  return cells;
}

}  // namespace kernbench::traces
