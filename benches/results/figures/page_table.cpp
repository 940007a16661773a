#include "benches/results/figures/page_table.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "benches/results/figures/column_words.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr const char* kOfBound = "bound:";

/// The rows of one table, and their columns in the order in which they are to stand.
struct Table {
  std::vector<std::string> columns;
  Json rows = Json::array();
  Json places = Json::array();  ///< of each row, which of the results it is: what figures call it
  std::set<std::string> shown;

  void row(Json line, const Results& results, const Row& row) {
    rows.push_back(std::move(line));
    places.push_back(&row - results.rows.data());
  }

  void column(const std::string& key, bool at_first) {
    if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
    if (at_first) shown.insert(key);
  }

  void cell(Json& line, const std::string& key, const Json& value, bool at_first) {
    column(key, at_first);
    line[key] = value;
  }

  [[nodiscard]] Json json(const std::string& title, const std::string& meaning) const {
    Json described = Json::array();
    for (const std::string& key : columns) {
      const ColumnWords* words = find_column_words(key);
      described.push_back({{"key", key},
                           {"heading", words == nullptr ? key : std::string(words->heading)},
                           {"unit", words == nullptr ? "" : std::string(words->unit)},
                           {"meaning", words == nullptr ? "" : std::string(words->meaning)},
                           {"shown", shown.contains(key)}});
    }
    return {
        {"title", title}, {"meaning", meaning}, {"columns", std::move(described)}, {"rows", rows}, {"places", places}};
  }
};

void add_axes(Table& table, Json& line, const Row& row) {
  for (const auto& [name, value] : row.point.items()) {
    if (name != "derived") table.cell(line, name, value, true);
  }
}

void add_state(Table& table, Json& line, const Row& row) {
  table.cell(line, "status", row.status, row.status != "ok");
  if (!row.reason.empty()) table.cell(line, "reason", row.reason, true);
  if (!row.flags.empty()) table.cell(line, "flags", joined(row.flags), true);
}

/// A bench's first metric beside its bound, and how far it is above it.
void add_bound(Table& table, Json& line, const Row& row, const Row& bound) {
  const Json simulated = metric(&row, kTime);
  const Json least = metric(&bound, kTime);
  if (!least.is_null()) table.cell(line, std::string(kOfBound) + "time_ns", least, true);
  if (simulated.is_number() && least.is_number() && least > 0) {
    table.cell(line, "above", simulated.get<double>() / least.get<double>() - 1, true);
  }
  for (const auto& [name, value] : bound.metrics.json().items()) {
    if (name != "time_ns") table.cell(line, kOfBound + name, value, value.is_string());
  }
  for (const auto& [name, value] : bound.windows.items()) table.cell(line, kOfBound + name, value, false);
  if (!bound.reason.empty() && row.reason.empty()) table.cell(line, "reason", bound.reason, true);
}

Table table_of_points(const Results& sim, const Results& theory, const std::vector<std::string>& metrics) {
  Table table;
  for (const Row& row : sim.rows) {  // all axes first, then the columns that are compared
    for (const auto& [name, value] : row.point.items()) {
      if (!row.point.contains("derived")) table.column(name, true);
    }
  }
  std::vector<std::string> first{"time_ns", "bound:time_ns", "above"};
  first.insert(first.end(), metrics.begin(), metrics.end());
  for (const char* last : {"bound:bottleneck", "bound:bound", "flags", "status", "reason"}) first.emplace_back(last);
  for (const std::string& key : first) table.column(key, false);
  for (const Row& row : sim.rows) {
    if (row.point.contains("derived")) continue;
    Json line = Json::object();
    add_axes(table, line, row);
    for (const auto& [name, value] : row.metrics.json().items()) {
      table.cell(line, name, value, name == "time_ns" || std::ranges::find(metrics, name) != metrics.end());
    }
    if (const Row* bound = find_row(theory, row.point); bound != nullptr) add_bound(table, line, row, *bound);
    for (const auto& [name, value] : row.windows.items()) table.cell(line, name, value, false);
    add_state(table, line, row);
    table.row(std::move(line), sim, row);
  }
  std::erase_if(table.columns, [&table](const std::string& key) {
    return std::ranges::none_of(table.rows, [&key](const Json& line) { return line.contains(key); });
  });
  return table;
}

}  // namespace

Json page_tables(const Results& sim, const Results& theory, const std::vector<std::string>& metrics) {
  Json tables = Json::array({table_of_points(sim, theory, metrics)
                                 .json("Points: simulated, and the bound",
                                       "A row a point: what was simulated, and beside it the bound in closed form.")});
  std::vector<std::pair<std::string, Table>> derived;
  for (const Row& row : sim.rows) {
    if (!row.point.contains("derived")) continue;
    const std::string kind = row.point.at("derived");
    auto found = std::ranges::find(derived, kind, &std::pair<std::string, Table>::first);
    if (found == derived.end()) found = derived.insert(derived.end(), {kind, {}});
    Json line = Json::object();
    add_axes(found->second, line, row);
    for (const auto& [name, value] : row.metrics.json().items()) found->second.cell(line, name, value, true);
    if (row.status != "ok") add_state(found->second, line, row);
    found->second.row(std::move(line), sim, row);
  }
  for (const auto& [kind, table] : derived) {
    const ColumnWords* words = find_column_words(kind);
    tables.push_back(table.json(words == nullptr ? "Derived: " + kind : std::string(words->heading),
                                words == nullptr ? "" : std::string(words->meaning)));
  }
  return tables;
}

}  // namespace kernbench
