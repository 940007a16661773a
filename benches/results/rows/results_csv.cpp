// Columns first, over all rows; then a line a row.
#include "benches/results/rows/results_csv.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/io/text/csv.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// A row as (column, value) pairs in the order of the schema.
using FlatRow = std::vector<std::pair<std::string, Json>>;

/// Stages that some row has on more than one engine.
std::set<std::string> stages_on_several_engines(const std::vector<Row>& rows) {
  std::set<std::string> several;
  for (const Row& row : rows) {
    std::set<std::string> seen;
    for (const StageRow& stage : row.stages) {
      if (!seen.insert(stage.stage).second) several.insert(stage.stage);
    }
  }
  return several;
}

FlatRow flatten(const Row& row, const std::set<std::string>& several) {
  FlatRow flat;
  const auto add_all = [&flat](const Json& values) {
    for (const auto& [name, value] : values.items()) flat.emplace_back(name, value);
  };
  const Json json = row_to_json(row);
  add_all(json["point"]);
  flat.emplace_back("status", row.status);
  flat.emplace_back("reason", row.reason);
  for (const auto& [name, value] : json["metrics"].items()) {
    // The kernel of a product on a GPU is in its point where it was asked for, and among what came of it.
    if (!json["point"].contains(name) || json["point"][name] != value) flat.emplace_back(name, value);
  }
  add_all(json["windows"]);
  for (const Json& stage : json["stages"]) {
    std::string prefix = stage["stage"];
    if (several.contains(prefix)) prefix += "@" + stage["engine"].get<std::string>();
    for (const auto& [name, value] : stage.items()) {
      if (name != "stage") flat.emplace_back(prefix + "_" + name, value);
    }
  }
  flat.emplace_back("flags", joined(row.flags, ";"));
  return flat;
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  return csv_cell(plain_text(value));
}

/// Puts the columns of `flat` into the order: a column not seen before comes after its predecessor in the row.
void merge_columns(std::vector<std::string>& columns, const FlatRow& flat) {
  std::size_t place = 0;
  std::set<std::string> in_row;
  for (const auto& [name, value] : flat) {
    if (!in_row.insert(name).second) throw std::logic_error("two fields of a row share the CSV column " + name);
    std::size_t found = 0;
    while (found < columns.size() && columns[found] != name) ++found;
    if (found == columns.size()) {
      columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(place), name);
      found = place;
    }
    place = found + 1;
  }
}

}  // namespace

std::string format_csv(const Results& results) {
  const std::set<std::string> several = stages_on_several_engines(results.rows);
  std::vector<FlatRow> rows;
  std::vector<std::string> columns;
  for (const Row& row : results.rows) {
    rows.push_back(flatten(row, several));
    merge_columns(columns, rows.back());
  }
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + cell(column);
  text += "\n";
  for (const FlatRow& row : rows) {
    const std::map<std::string, Json> values(row.begin(), row.end());
    std::string separator;
    for (const std::string& column : columns) {
      const auto value = values.find(column);
      text += separator + (value == values.end() ? "" : cell(value->second));
      separator = ",";
    }
    text += "\n";
  }
  return text;
}

}  // namespace kernbench
