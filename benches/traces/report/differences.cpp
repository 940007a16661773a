#include "benches/traces/report/differences.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/report/gemm_times.hpp"
#include "benches/traces/report/table_values.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;

/// What is compared: a value of one point, of every run the ranks' values.
struct Compared {
  std::vector<TraceCell> point;  ///< its axes but the run
  std::string what;
  std::string metric;
  std::map<std::string, std::vector<double>> of_run{};
};

/// The axes of the tables, without run and rank.
std::vector<TraceColumn> point_columns(const std::vector<TraceTable>& tables) {
  std::vector<TraceColumn> columns;
  const TableValues values(tables.front());
  for (const std::string& name : values.places()) {
    if (name == kRunAxis || name == "rank") continue;
    columns.push_back(*std::ranges::find(tables.front().columns, name, &TraceColumn::name));
  }
  return columns;
}

class Comparison {
 public:
  explicit Comparison(const std::vector<TraceColumn>& point) : point_(point) {}

  void add(const TraceTable& table, std::size_t row, const std::string& what, const std::string& metric) {
    const TableValues values(table);
    const std::optional<double> value = values.number(row, metric);
    if (!value) return;
    std::vector<TraceCell> cells;
    std::vector<std::string> key{what, metric};
    for (const TraceColumn& column : point_) {
      const auto at = std::ranges::find(table.columns, column.name, &TraceColumn::name);
      cells.push_back(table.rows[row][static_cast<std::size_t>(at - table.columns.begin())]);
      key.push_back(cell_text(cells.back()));
    }
    const auto [place, is_new] = places_.try_emplace(std::move(key), all_.size());
    if (is_new) all_.push_back({std::move(cells), what, metric});
    all_[place->second].of_run[values.text(row, kRunAxis)].push_back(*value);
  }

  [[nodiscard]] const std::vector<Compared>& all() const { return all_; }

 private:
  const std::vector<TraceColumn>& point_;
  std::map<std::vector<std::string>, std::size_t> places_;
  std::vector<Compared> all_;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// "yes" where every rank of one run lies above every rank of the other; "" where a run has fewer than two ranks.
std::string beyond_spread(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return "";
  const auto [least_a, most_a] = std::ranges::minmax(a);
  const auto [least_b, most_b] = std::ranges::minmax(b);
  return least_a > most_b || least_b > most_a ? "yes" : "no";
}

double spread_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

/// Cells from `base_us` on: those that follow from both are empty where one run has no values.
void add_values(std::vector<TraceCell>& row, const std::vector<double>& base, const std::vector<double>& other) {
  row.push_back(base.empty() ? TraceCell() : TraceCell(mean_of(base)));
  row.push_back(other.empty() ? TraceCell() : TraceCell(mean_of(other)));
  if (base.empty() || other.empty()) {
    row.resize(row.size() + 4);
    return;
  }
  const double difference = mean_of(other) - mean_of(base);
  row.emplace_back(difference);
  row.push_back(mean_of(base) == 0 ? TraceCell() : TraceCell(100 * difference / mean_of(base)));
  row.emplace_back(std::max(spread_of(base), spread_of(other)));
  row.emplace_back(beyond_spread(base, other));
}

std::vector<double> values_of(const Compared& compared, const std::string& run) {
  const auto found = compared.of_run.find(run);
  return found == compared.of_run.end() ? std::vector<double>{} : found->second;
}

}  // namespace

TraceTable differences_table(const std::vector<TraceTable>& tables) {
  TraceTable table{"differences", point_columns(tables), {}};
  Comparison comparison(table.columns);
  const std::vector<TraceColumn> point = table.columns;
  if (const TraceTable* timeline = find_table(tables, "timeline"); timeline != nullptr) {
    for (std::size_t row = 0; row < timeline->rows.size(); ++row) {
      for (const char* metric : {"total_us", "computation_us", "exposed_comm_us", "exposed_copy_us", "idle_us"}) {
        comparison.add(*timeline, row, "timeline", metric);
      }
    }
  }
  if (const TraceTable* gemms = find_table(tables, "gemms"); gemms != nullptr) {
    for (std::size_t row = 0; row < gemms->rows.size(); ++row) {
      comparison.add(*gemms, row, gemm_text(TableValues(*gemms), row), "median_us");
    }
  }
  table.columns.push_back({"what", "", Type::kText, 0});
  table.columns.push_back({"metric", "", Type::kText, 0});
  table.columns.push_back({"base", "", Type::kText, 1});
  table.columns.push_back({"run", "", Type::kText, 0});
  for (const char* name : {"base_us", "run_us", "difference_us"}) table.columns.push_back({name, "µs", Type::kReal, 0});
  table.columns.push_back({"difference_pct", "%", Type::kReal, 0});
  table.columns.push_back({"spread_us", "µs", Type::kReal, 0});
  table.columns.push_back({"beyond_spread", "", Type::kText, 0});
  const std::vector<std::string> runs = TableValues(tables.front()).values(kRunAxis);
  for (const Compared& compared : comparison.all()) {
    for (std::size_t other = 1; other < runs.size(); ++other) {
      std::vector<TraceCell> row = compared.point;
      for (const std::string& text : {compared.what, compared.metric, runs.front(), runs[other]})
        row.emplace_back(text);
      add_values(row, values_of(compared, runs.front()), values_of(compared, runs[other]));
      table.add_row(std::move(row));
    }
  }
  return table;
}

std::string differences_headline(const TraceTable& differences) {
  const TableValues table(differences);
  std::int64_t beyond = 0;
  std::optional<std::size_t> largest;
  const auto share = [&table](std::size_t row) { return std::abs(table.number(row, "difference_pct").value_or(0)); };
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "beyond_spread") != "yes") continue;
    ++beyond;
    if (!largest || share(row) > share(*largest)) largest = row;
  }
  const std::string all = counted(static_cast<std::int64_t>(table.size()), "value");
  if (!largest) return "Of " + all + " none differs beyond the spread of the ranks.";
  std::vector<std::string> point;
  for (const TraceColumn& column : differences.columns) {
    if (column.name == "what") break;
    point.push_back(column.name);
  }
  const std::string where = place_text(table, *largest, point);
  return "Of " + all + " " + std::to_string(beyond) + (beyond == 1 ? " differs" : " differ") +
         " beyond the spread of the ranks; by the largest share " + table.text(*largest, "metric") + " of " +
         table.text(*largest, "what") + (where.empty() ? "" : " at " + where) + ": " +
         formatted("%.1f µs in ", table.number(*largest, "run_us").value_or(0)) + table.text(*largest, "run") +
         formatted(", %+.1f %%", table.number(*largest, "difference_pct").value_or(0)) + " from " +
         table.text(*largest, "base") + ".";
}

}  // namespace kernbench::traces
