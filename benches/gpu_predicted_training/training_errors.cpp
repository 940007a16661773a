#include "benches/gpu_predicted_training/training_errors.hpp"

#include <algorithm>
#include <string>

#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/training/training_metrics.hpp"

namespace kernbench {
namespace {

std::string step_words(const Row& row) {
  return row.point.at("channels").dump() + " channels of " + row.point.at("threads").dump() + " threads";
}

/// The same rows, whose prediction is that of another metric.
Results with_metric(const Results& predicted, const Metric<double>& metric) {
  Results of = predicted;
  for (Row& row : of.rows) {
    const auto measured = prefixed(kOfMeasured, metric);
    if (!row.metrics.has(measured)) continue;
    const double is = row.metrics.at(metric);
    const double was = row.metrics.at(measured);
    row.metrics.set(kTime, is);
    row.metrics.set(kMeasuredTime, was);
    if (was > 0) {
      row.metrics.set(kError, is / was - 1);
    } else {
      row.metrics.erase(kError);
    }
  }
  return of;
}

}  // namespace

const std::vector<TracedMetric>& traced_metrics() {
  static const std::vector<TracedMetric> kMetrics{{kTracedTime, "traced step"},
                                                  {kComputationTime, "computation"},
                                                  {kGemmTime, "GEMMs"},
                                                  {kGemmSlowdown, "GEMMs ÷ alone"},
                                                  {kCommTime, "all_reduces"},
                                                  {kCommLatency, "all_reduces, all ranks there"},
                                                  {kCommOverlapped, "overlapped share"},
                                                  {kExposedCommTime, "exposed"},
                                                  {kIdleTime, "idle"}};
  return kMetrics;
}

std::vector<Row> training_error_rows(const Results& predicted) {
  PredictionsHeld held{.groups = {{"step", [](const Row&) { return true; }}},
                       .others = {predicted_by("untouched")},
                       .words = step_words,
                       .fitted = "steps that the machine was fitted to"};
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    const Json threads = row.point.at("threads");
    const std::string name = "step, " + threads.dump() + " threads";
    if (std::ranges::find(held.groups, name, &PredictionGroup::of) != held.groups.end()) continue;
    held.groups.push_back({name, [threads](const Row& other) { return other.point.at("threads") == threads; }});
  }
  std::vector<Row> rows = error_rows(predicted, held);
  const Row left_out = rows.back();
  rows.pop_back();
  held.others.clear();
  for (const TracedMetric& metric : traced_metrics()) {
    held.groups = {{metric.words, [](const Row&) { return true; }}};
    for (Row& row : error_rows(with_metric(predicted, metric.metric), held)) {
      if (row.point.at("derived") == "error") rows.push_back(std::move(row));
    }
  }
  rows.push_back(left_out);
  return rows;
}

}  // namespace kernbench
