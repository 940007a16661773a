#include "benches/measured/cases/prediction_errors.hpp"

#include <algorithm>
#include <cmath>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/error_summary.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::string> kWorstText{"worst"};

constexpr std::size_t kWorst = 10;

bool has_prediction(const Row& row) { return row.status == "ok" && row.metrics.has(kError); }

void add_summary(Metrics& metrics, const std::string& prefix, const std::vector<double>& ratios) {
  const ErrorSummary summary = summary_of(ratios);
  if (summary.rows == 0) return;
  metrics.set(prefixed(prefix, kMeanError), summary.mean);
  metrics.set(prefixed(prefix, kMedianError), summary.median);
  metrics.set(prefixed(prefix, kP90Error), summary.p90);
  metrics.set(prefixed(prefix, kBias), summary.bias);
}

std::string worst_of(std::vector<const Row*> rows, const PredictionsHeld& held) {
  std::ranges::stable_sort(rows, std::greater<>{}, [](const Row* row) { return std::abs(row->metrics.at(kError)); });
  if (rows.size() > kWorst) rows.resize(kWorst);
  std::string text;
  for (const Row* row : rows) {
    text += (text.empty() ? "" : "; ") + held.words(*row) + formatted(" %+.1f %%", 100 * row->metrics.at(kError));
  }
  return text;
}

Json error_point(const std::string& of) { return {{"derived", "error"}, {"of", of}}; }

Row error_row(const std::string& of, const std::vector<const Row*>& rows, const PredictionsHeld& held) {
  Row row;
  row.point = error_point(of);
  row.metrics = {{kRowCount, rows.size()}};
  std::vector<double> ratios;
  for (const Row* predicted : rows) ratios.push_back(1 + predicted->metrics.at(kError));
  add_summary(row.metrics, "", ratios);
  for (const OtherPrediction& other : held.others) {
    ratios.clear();
    for (const Row* predicted : rows) {
      const std::optional<double> time = other.time_ns(*predicted);
      if (time) ratios.push_back(*time / predicted->metrics.at(kMeasuredTime));
    }
    add_summary(row.metrics, other.name + "_", ratios);
  }
  row.metrics.set(kWorstText, worst_of(rows, held));
  return row;
}

}  // namespace

bool is_counted(const Row& row) {
  return has_prediction(row) && std::ranges::find(row.flags, "fitted") == row.flags.end();
}

OtherPrediction predicted_by(const std::string& name) {
  return {name,
          [metric = Metric<double, std::string>{name + "_ns"}](const Row& row) { return row.metrics.find(metric); }};
}

std::vector<Row> error_rows(const Results& predicted, const PredictionsHeld& held) {
  std::vector<Row> rows;
  for (const PredictionGroup& group : held.groups) {
    std::vector<const Row*> members;
    for (const Row& row : predicted.rows) {
      if (is_counted(row) && group.has(row)) members.push_back(&row);
    }
    if (!members.empty()) rows.push_back(error_row(group.of, members, held));
  }
  Row left_out;
  left_out.point = {{"derived", "left out"}, {"of", held.fitted}};
  left_out.metrics = {{kRowCount, std::ranges::count_if(predicted.rows, [](const Row& row) {
                         return has_prediction(row) && !is_counted(row);
                       })}};
  rows.push_back(std::move(left_out));
  return rows;
}

std::string mean_errors(const Results& results, const std::vector<std::string>& groups) {
  std::string text;
  for (const std::string& of : groups) {
    for (const Row& row : results.rows) {
      if (row.point != error_point(of)) continue;
      text += (text.empty() ? "" : ", ") + of + " " + percent(row.metrics.at(kMeanError)) + " (bias " +
              percent(row.metrics.at(kBias)) + ")";
    }
  }
  return text;
}

}  // namespace kernbench
