// How far predicted steps of training are from measured ones (adr/0059): rows derived from a run's.
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// What is compared of the traces' analyses: metrics NAME and measured_NAME.
struct TracedMetric {
  Metric<double> metric;
  const char* words = "";  ///< "GEMMs", which names its row of errors
};
[[nodiscard]] const std::vector<TracedMetric>& traced_metrics();

/// As error_rows(): of the steps again and again, all and by threads, beside steps in which nothing slows anything;
/// then a row for each traced metric.
[[nodiscard]] std::vector<Row> training_error_rows(const Results& predicted);

}  // namespace kernbench
