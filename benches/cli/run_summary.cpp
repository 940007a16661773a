// The table at the end of a run.
#include "benches/cli/run_summary.hpp"

#include <map>

#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
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
  if (row == nullptr || !row->metrics.contains(column.metric)) return "";
  const Json& value = row->metrics[column.metric];
  if (!value.is_number()) return value.is_string() ? value.get<std::string>() : value.dump();
  if (column.as_percent) return formatted("%.1f %%", 100 * value.get<double>());
  return value.is_number_integer() ? value.dump() : formatted("%.1f", value.get<double>());
}

std::string error_text(const Row* simulated, const Row* theory, const std::string& metric) {
  const auto value = [&metric](const Row* row) {
    return row != nullptr && row->metrics.contains(metric) && row->metrics[metric].is_number()
               ? row->metrics[metric].get<double>()
               : 0.0;
  };
  if (value(simulated) == 0 || value(theory) == 0) return "";
  return formatted("%+.1f %%", 100 * (value(simulated) / value(theory) - 1));
}

TableCell status_cell(const Row& row) {
  if (row.status == "ok") return {"ok", Style::kGreen};
  return {row.status + ": " + row.reason, row.status == "failed" ? Style::kRed : Style::kYellow};
}

}  // namespace

std::string format_summary(const Bench& bench, const std::vector<LabelledPoint>& points, const BenchRun& run,
                           bool colours) {
  const bool with_theory = bench.theory && !bench.report.empty();
  std::vector<TableColumn> columns;
  for (const Axis& axis : bench.axes) columns.push_back({axis.name});
  for (const ReportColumn& column : bench.report) columns.push_back({column.title, Align::kRight});
  if (with_theory) columns.push_back({"theory", Align::kRight});
  if (with_theory) columns.push_back({"error", Align::kRight});
  columns.push_back({"flags"});
  columns.push_back({"status"});

  Table table(columns);
  const RowsByPoint simulated = by_point(run.simulated);
  const RowsByPoint theory = by_point(run.theory);
  for (const LabelledPoint& point : points) {
    const auto row = simulated.find(point.point.dump());
    if (row == simulated.end()) continue;
    const Row* good = find(simulated, point.point);
    std::vector<TableCell> cells(point.labels.begin(), point.labels.end());
    for (const ReportColumn& column : bench.report) cells.emplace_back(metric_text(good, column));
    if (with_theory) {
      const Row* bound = find(theory, point.point);
      cells.emplace_back(metric_text(bound, bench.report[0]));
      cells.emplace_back(error_text(good, bound, bench.report[0].metric));
    }
    cells.emplace_back(joined(row->second->flags, " "), Style::kDim);
    cells.push_back(status_cell(*row->second));
    table.add_row(std::move(cells));
  }
  return table.format(colours);
}

}  // namespace kernbench
