#include "benches/gpu_predicted_beside/beside_errors.hpp"

#include <algorithm>

#include "benches/harness/measured/prediction_errors.hpp"

namespace kernbench {

std::string product_shape(const Row& row) {
  return row.point.at("m").dump() + "×" + row.point.at("k").dump() + "×" + row.point.at("n").dump();
}

std::vector<Row> beside_error_rows(const Results& predicted) {
  PredictionsHeld held{.groups = {{"all", [](const Row&) { return true; }}},
                       .others = {{"untouched",
                                   [](const Row& row) -> std::optional<double> {
                                     return row.metrics.at("measured_alone_ns").get<double>();
                                   }}},
                       .words =
                           [](const Row& row) {
                             return product_shape(row) + " beside " + row.point.at("channels").dump() + " channels";
                           },
                       .fitted = "rows that the machine was fitted to"};
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    const std::string shape = product_shape(row);
    if (std::ranges::find(held.groups, shape, &PredictionGroup::of) != held.groups.end()) continue;
    held.groups.push_back({shape, [shape](const Row& other) { return product_shape(other) == shape; }});
  }
  return error_rows(predicted, held);
}

}  // namespace kernbench
