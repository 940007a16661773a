#include "benches/traces/report/table_values.hpp"

#include <algorithm>

#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

std::string without_prefix(const std::string& op) {
  constexpr std::string_view kPrefix = "aten::";
  return op.starts_with(kPrefix) ? op.substr(kPrefix.size()) : op;
}

}  // namespace

const TraceCell* TableValues::cell(std::size_t row, const std::string& column) const {
  const auto found = std::ranges::find(table_.columns, column, &TraceColumn::name);
  if (found == table_.columns.end()) return nullptr;
  return &table_.rows[row][static_cast<std::size_t>(found - table_.columns.begin())];
}

std::string TableValues::text(std::size_t row, const std::string& column) const {
  const TraceCell* found = cell(row, column);
  return found == nullptr ? "" : cell_text(*found);
}

std::optional<double> TableValues::number(std::size_t row, const std::string& column) const {
  const TraceCell* found = cell(row, column);
  return found == nullptr ? std::nullopt : cell_number(*found);
}

std::vector<std::string> TableValues::places() const {
  std::vector<std::string> names;
  for (const TraceColumn& column : table_.columns) {
    names.push_back(column.name);
    if (column.name == kRankColumn) return names;
  }
  return {};
}

std::vector<std::string> TableValues::values(const std::string& column) const {
  std::vector<std::pair<double, std::string>> found;  // the number of an integer, else 0
  for (std::size_t row = 0; row < size(); ++row) {
    const TraceCell* at = cell(row, column);
    if (at == nullptr) return {};
    const auto* count = std::get_if<std::int64_t>(at);
    std::pair value(count == nullptr ? 0.0 : static_cast<double>(*count), cell_text(*at));
    if (!value.second.empty() && std::ranges::find(found, value) == found.end()) found.push_back(std::move(value));
  }
  std::ranges::stable_sort(found, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> values;
  for (auto& [number, text] : found) values.push_back(std::move(text));
  return values;
}

const TraceTable* find_table(const std::vector<TraceTable>& tables, const std::string& name) {
  const auto found = std::ranges::find(tables, name, &TraceTable::name);
  return found == tables.end() ? nullptr : &*found;
}

std::vector<std::string> sweep_axes(const std::vector<TraceTable>& tables) {
  for (const TraceTable& table : tables) {
    std::vector<std::string> places = TableValues(table).places();
    if (places.empty()) continue;
    places.pop_back();
    return places;
  }
  return {};
}

std::string place_text(const TableValues& table, std::size_t row, const std::vector<std::string>& columns) {
  std::vector<std::string> words;
  for (const std::string& column : columns) {
    const std::string value = table.text(row, column);
    if (value.empty()) continue;
    words.push_back(column == kRunAxis ? value : column + " " + value);
  }
  return joined(words, ", ");
}

std::string gemm_text(const TableValues& table, std::size_t row) {
  const std::string op = without_prefix(table.text(row, "op"));
  if (table.text(row, "M").empty()) return op + (op.empty() ? "" : " ") + table.text(row, "kernel");
  std::string text = op + " " + table.text(row, "M") + "×" + table.text(row, "N") + "×" + table.text(row, "K");
  if (table.text(row, "batch") != "1") text += " · " + table.text(row, "batch") + " of a batch";
  const std::string bias = table.text(row, "bias");
  if (bias == "1") text += " with bias";
  if (bias > "1") text += " and a matrix";
  const std::string a = table.text(row, "dtype_a");
  const std::string b = table.text(row, "dtype_b");
  for (const std::string& more : {table.text(row, "layout"), a == b ? a : a + "/" + b}) {
    if (!more.empty()) text += " " + more;
  }
  return text;
}

}  // namespace kernbench::traces
