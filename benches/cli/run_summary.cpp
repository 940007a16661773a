// The table at the end of a run.
#include "benches/cli/run_summary.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "benches/experiments/whatif/points_file.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

using RowsByPoint = std::map<std::string, const Row*>;

RowsByPoint by_point(const Results& results) {
  RowsByPoint rows;
  for (const Row& row : results.rows) rows[row.point.dump()] = &row;
  return rows;
}

const Row* find(const RowsByPoint& rows, const Point& point) {
  const auto found = rows.find(point.dump());
  return found == rows.end() || found->second->status != "ok" ? nullptr : found->second;
}

/// A metric of a row for the table; "" where the row has none.
std::string metric_text(const Row* row, const ReportColumn& column) {
  if (row == nullptr || !row->metrics.json().contains(column.metric)) return "";
  const Json& value = row->metrics.json().at(column.metric);
  if (!value.is_number()) return plain_text(value);
  if (column.as_percent) return formatted("%.1f %%", 100 * value.get<double>());
  return value.is_number_integer() ? value.dump() : formatted("%.1f", value.get<double>());
}

std::string error_text(const Row* simulated, const Row* theory, const std::string& metric) {
  const auto value = [&metric](const Row* row) {
    return row != nullptr && row->metrics.json().contains(metric) && row->metrics.json().at(metric).is_number()
               ? row->metrics.json().at(metric).get<double>()
               : 0.0;
  };
  if (value(simulated) == 0 || value(theory) == 0) return "";
  return formatted("%+.1f %%", 100 * (value(simulated) / value(theory) - 1));
}

TableCell status_cell(const Row& row) {
  return {row.status, row.status == "ok" ? Style::kGreen : row.status == "failed" ? Style::kRed : Style::kYellow};
}

double time_of(const Row& row, const ReportColumn& column) {
  return row.metrics.json().contains(column.metric) && row.metrics.json().at(column.metric).is_number()
             ? row.metrics.json().at(column.metric).get<double>()
             : 0.0;
}

/// Over the row that has the first value of the bench's field and all else alike.
std::string speed_up_text(const Bench& bench, const RowsByPoint& simulated, const Row* row) {
  if (row == nullptr) return "";
  for (const Axis& axis : bench.axes) {
    if (axis.name != bench.speed_up_over || axis.values.empty()) continue;
    Point base = row->point;
    base[axis.name] = axis.values.front().fields;
    const Row* slow = find(simulated, base);
    if (slow == nullptr || time_of(*row, bench.report[0]) == 0) return "";
    return formatted("%.2fx", time_of(*slow, bench.report[0]) / time_of(*row, bench.report[0]));
  }
  return "";
}

/// What the closed form says limits the point.
std::string bound_by_text(const Row* row) {
  return row == nullptr ? "" : row->metrics.value_or(kBottleneck, row->metrics.value_or(kBoundBy, ""));
}

bool has_limits(const Results& results) {
  return std::ranges::any_of(results.rows, [](const Row& row) { return !limit_text(row).empty(); });
}

/// Each reason once, with the points that it is of; after its rows' status, or alone.
std::string reasons_text(const std::vector<LabelledPoint>& points, const RowsByPoint& rows, bool with_status,
                         const Terminal& terminal) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const LabelledPoint& point : points) {
    const auto row = rows.find(point.point.dump());
    if (row == rows.end() || row->second->status == "ok") continue;
    const std::string reason = (with_status ? row->second->status + ": " : "") + row->second->reason;
    auto same = std::ranges::find(reasons, reason, [](const auto& entry) { return entry.first; });
    if (same == reasons.end()) same = reasons.insert(reasons.end(), {reason, {}});
    same->second.push_back(point.name);
  }
  std::string text;
  for (const auto& [reason, names] : reasons) {
    std::string who;
    for (const std::string& name : names) who += (who.empty() ? "" : ", ") + name;
    text += prose(reason, terminal) + hanging("  ", who, terminal.width);
  }
  return text;
}

/// Those that some row has; the bound of a row, and what it is by, are the theory's, where that is shown.
std::vector<ReportColumn> known_columns(const Bench& bench, const Results& results) {
  std::vector<ReportColumn> columns;
  for (const ReportColumn& column : bench.report) {
    const bool is_first = &column == &bench.report.front();
    const bool is_theory = bench.theory && (column.metric == "bound_ns" || column.metric == "bound_bottleneck");
    const auto has = [&column](const Row& row) { return row.metrics.json().contains(column.metric); };
    if (is_first || (!is_theory && std::ranges::any_of(results.rows, has))) columns.push_back(column);
  }
  return columns;
}

/// Which columns a run's summary has.
struct Shown {
  Shown(const Bench& bench, const BenchRun& run)
      : speed_up(!bench.speed_up_over.empty() && !bench.report.empty()),
        metrics(known_columns(bench, run.simulated)),
        limits(has_limits(run.simulated)),
        theory(bench.theory && !bench.report.empty()),
        limit(std::ranges::any_of(run.theory.rows, [](const Row& row) { return !bound_by_text(&row).empty(); })),
        energy(energy_title(run.simulated.rows)),
        flags(std::ranges::any_of(run.simulated.rows, [](const Row& row) { return !row.flags.empty(); })),
        status(std::ranges::any_of(run.simulated.rows, [](const Row& row) { return row.status != "ok"; })) {}

  bool speed_up;
  std::vector<ReportColumn> metrics;
  bool limits;
  bool theory;
  bool limit;
  std::string energy;  ///< title; empty: no row has any
  bool flags;
  bool status;
};

std::vector<TableColumn> axis_columns(const Bench& bench) {
  std::vector<TableColumn> columns;
  for (const Axis& axis : bench.axes) {
    if (tells_apart(axis)) columns.push_back({.title = axis.name});
  }
  return columns;
}

std::vector<TableCell> axis_cells(const Bench& bench, const LabelledPoint& point) {
  std::vector<TableCell> cells;
  for (std::size_t i = 0; i < bench.axes.size(); ++i) {
    if (tells_apart(bench.axes[i])) cells.emplace_back(point.labels[i]);
  }
  return cells;
}

/// Before a table that leaves it out.
std::string alike_line(const Bench& bench, const Terminal& terminal) {
  const std::string alike = alike_text(bench);
  return alike.empty() ? "" : prose(bench.name + ": " + alike, terminal);
}

std::vector<TableColumn> columns_of(const Bench& bench, const Shown& shown) {
  std::vector<TableColumn> columns = axis_columns(bench);
  const std::size_t axes = columns.size();
  for (const ReportColumn& column : shown.metrics) {
    const int rank = columns.size() == axes ? 0 : 4;
    columns.push_back({column.title, Align::kRight, rank});
  }
  if (shown.speed_up) columns.push_back({"speed-up", Align::kRight, 1});
  if (shown.limits) columns.push_back({"limited by", Align::kLeft, 2});
  if (shown.theory) {
    columns.push_back({"bound", Align::kRight, 5});
    columns.push_back({"above", Align::kRight, 3});
    if (shown.limit) columns.push_back({"bound by", Align::kLeft, 7});
  }
  if (!shown.energy.empty()) columns.push_back({shown.energy, Align::kRight, 4});
  if (shown.flags) columns.push_back({"flags", Align::kLeft, 6});
  if (shown.status) columns.push_back({"status"});
  return columns;
}

/// Behind the metrics: what the closed form says, and the energy.
void add_bound_and_energy(const Bench& bench, const Shown& shown, const Row* good, const Row* bound,
                          std::vector<TableCell>& cells) {
  if (shown.theory) {
    cells.emplace_back(metric_text(bound, bench.report[0]));
    cells.emplace_back(error_text(good, bound, bench.report[0].metric));
    if (shown.limit) cells.emplace_back(bound_by_text(bound));
  }
  if (!shown.energy.empty()) cells.emplace_back(good == nullptr ? "" : total_energy_text(*good));
}

/// Fields of the totals' points that are not the same in all.
std::vector<std::string> telling_fields(const std::vector<const Row*>& totals) {
  std::vector<std::string> names;
  for (const auto& [name, value] : totals.front()->point.items()) {
    for (const Row* total : totals) {
      if (total->point.value(name, Json()) == value) continue;
      names.push_back(name);
      break;
    }
  }
  return names;
}

}  // namespace

std::string format_totals(const Results& simulated, const Terminal& terminal) {
  constexpr std::size_t kMostShown = 12;
  const std::vector<const Row*> totals = totals_in(simulated);
  if (totals.size() < 2) return "";
  if (totals.size() > kMostShown) {
    return "\n" + prose(std::to_string(totals.size()) + " totals: the rows of results.csv whose `derived` is `total`.",
                        terminal);
  }
  const std::vector<std::string> fields = telling_fields(totals);
  std::vector<TableColumn> columns;
  for (const std::string& field : fields) columns.push_back({field, Align::kRight});
  columns.push_back({"total", Align::kRight});
  Table table(columns);
  for (const Row* total : totals) {
    std::vector<TableCell> cells;
    for (const std::string& field : fields) cells.emplace_back(plain_text(total->point.value(field, Json())));
    cells.push_back(total->status == "ok" ? TableCell(text_of_total(*total)) : TableCell("none", Style::kYellow));
    table.add_row(std::move(cells));
  }
  return "\n" + table.format(terminal) + "\n";
}

std::string format_plan(const Bench& bench, const std::vector<LabelledPoint>& points,
                        const std::vector<PlannedPoint>& planned, const Terminal& terminal) {
  std::vector<TableColumn> columns = axis_columns(bench);
  columns.push_back({"of the work", Align::kRight});
  columns.push_back({"state"});
  Table table(columns);
  std::int64_t known = 0;
  double left = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<TableCell> cells = axis_cells(bench, points[i]);
    cells.emplace_back(formatted("%.1f %%", 100 * planned[i].cost));
    cells.emplace_back(planned[i].known ? TableCell("known", Style::kGreen) : TableCell("to run"));
    table.add_row(std::move(cells));
    known += planned[i].known ? 1 : 0;
    left += planned[i].known ? 0 : planned[i].cost;
  }
  return alike_line(bench, terminal) + table.format(terminal) + "\n" +
         prose(counted(static_cast<std::int64_t>(points.size()), "point") + ", " + std::to_string(known) +
                   " known from earlier runs; to run: " + formatted("%.0f %%", 100 * left) +
                   " of the work, by the bench's estimate. Nothing was run or written.",
               terminal);
}

std::string format_summary(const Bench& bench, const std::vector<LabelledPoint>& points, const BenchRun& run,
                           const Terminal& terminal) {
  const Shown shown(bench, run);
  Table table(columns_of(bench, shown));
  const RowsByPoint simulated = by_point(run.simulated);
  const RowsByPoint theory = by_point(run.theory);
  for (const LabelledPoint& point : points) {
    const auto row = simulated.find(point.point.dump());
    if (row == simulated.end()) continue;
    const Row* good = find(simulated, point.point);
    std::vector<TableCell> cells = axis_cells(bench, point);
    for (const ReportColumn& column : shown.metrics) cells.emplace_back(metric_text(good, column));
    if (shown.speed_up) cells.emplace_back(speed_up_text(bench, simulated, good));
    if (shown.limits) cells.emplace_back(good == nullptr ? "" : limit_text(*good));
    add_bound_and_energy(bench, shown, good, find(theory, point.point), cells);
    if (shown.flags) cells.emplace_back(joined(row->second->flags, " "), Style::kDim);
    if (shown.status) cells.push_back(status_cell(*row->second));
    table.add_row(std::move(cells));
  }
  RowsByPoint without_bound = theory;  // of points that were simulated
  std::erase_if(without_bound, [&simulated](const auto& entry) {
    const auto row = simulated.find(entry.first);
    return row == simulated.end() || row->second->status != "ok";
  });
  const std::string reasons =
      reasons_text(points, simulated, true, terminal) + reasons_text(points, without_bound, false, terminal);
  return alike_line(bench, terminal) + table.format(terminal) + (reasons.empty() ? "" : "\n" + reasons);
}

}  // namespace kernbench
