#include "benches/measured/cases/prediction_errors.hpp"

#include <algorithm>
#include <cmath>

#include "benches/measured/cases/error_summary.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kWorst = 10;

bool has_prediction(const Row& row) { return row.status == "ok" && row.metrics.contains("error"); }

void add_summary(Json& metrics, const std::string& prefix, const std::vector<double>& ratios) {
  const ErrorSummary summary = summary_of(ratios);
  if (summary.rows == 0) return;
  metrics[prefix + "mean"] = summary.mean;
  metrics[prefix + "median"] = summary.median;
  metrics[prefix + "p90"] = summary.p90;
  metrics[prefix + "bias"] = summary.bias;
}

std::string worst_of(std::vector<const Row*> rows, const PredictionsHeld& held) {
  std::ranges::stable_sort(rows, std::greater<>{}, [](const Row* row) { return std::abs(number(*row, "error")); });
  if (rows.size() > kWorst) rows.resize(kWorst);
  std::string text;
  for (const Row* row : rows) {
    text += (text.empty() ? "" : "; ") + held.words(*row) + formatted(" %+.1f %%", 100 * number(*row, "error"));
  }
  return text;
}

Row error_row(const std::string& of, const std::vector<const Row*>& rows, const PredictionsHeld& held) {
  Row row;
  row.point = {{"derived", "error"}, {"of", of}};
  row.metrics = {{"rows", rows.size()}};
  std::vector<double> ratios;
  for (const Row* predicted : rows) ratios.push_back(1 + number(*predicted, "error"));
  add_summary(row.metrics, "", ratios);
  for (const OtherPrediction& other : held.others) {
    ratios.clear();
    for (const Row* predicted : rows) {
      const std::optional<double> time = other.time_ns(*predicted);
      if (time) ratios.push_back(*time / number(*predicted, "measured_ns"));
    }
    add_summary(row.metrics, other.name + "_", ratios);
  }
  row.metrics["worst"] = worst_of(rows, held);
  return row;
}

}  // namespace

bool is_counted(const Row& row) {
  return has_prediction(row) && std::ranges::find(row.flags, "fitted") == row.flags.end();
}

OtherPrediction predicted_by(const std::string& name) {
  return {name, [metric = name + "_ns"](const Row& row) {
            const auto time = row.metrics.find(metric);
            return time == row.metrics.end() ? std::nullopt : std::optional(time->get<double>());
          }};
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
  left_out.metrics = {{"rows", std::ranges::count_if(predicted.rows, [](const Row& row) {
                         return has_prediction(row) && !is_counted(row);
                       })}};
  rows.push_back(std::move(left_out));
  return rows;
}

}  // namespace kernbench
