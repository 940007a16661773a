#include "benches/gpu_predicted_training/training_errors.hpp"

#include <algorithm>
#include <string>

#include "benches/measured/cases/prediction_errors.hpp"

namespace kernbench {
namespace {

std::string step_words(const Row& row) {
  return row.point.at("channels").dump() + " channels of " + row.point.at("threads").dump() + " threads";
}

/// The same rows, whose prediction is that of another metric.
Results with_metric(const Results& predicted, const std::string& name) {
  Results of = predicted;
  for (Row& row : of.rows) {
    if (!row.metrics.contains("measured_" + name)) continue;
    const double is = row.metrics.at(name);
    const double was = row.metrics.at("measured_" + name);
    row.metrics["time_ns"] = is;
    row.metrics["measured_ns"] = was;
    if (was > 0) {
      row.metrics["error"] = is / was - 1;
    } else {
      row.metrics.erase("error");
    }
  }
  return of;
}

}  // namespace

const std::vector<TracedMetric>& traced_metrics() {
  static const std::vector<TracedMetric> kMetrics{{"traced_ns", "traced step"},
                                                  {"computation_ns", "computation"},
                                                  {"gemm_ns", "GEMMs"},
                                                  {"gemm_slowdown", "GEMMs ÷ alone"},
                                                  {"comm_ns", "all_reduces"},
                                                  {"comm_latency_ns", "all_reduces, all ranks there"},
                                                  {"comm_overlapped", "overlapped share"},
                                                  {"exposed_comm_ns", "exposed"},
                                                  {"idle_ns", "idle"}};
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
    for (Row& row : error_rows(with_metric(predicted, metric.name), held)) {
      if (row.point.at("derived") == "error") rows.push_back(std::move(row));
    }
  }
  rows.push_back(left_out);
  return rows;
}

}  // namespace kernbench
