#include "benches/gpu_predicted_beside/beside_errors.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {

std::string product_shape(const Row& row) {
  return row.point.at("m").dump() + "×" + row.point.at("k").dump() + "×" + row.point.at("n").dump();
}

std::vector<Row> beside_error_rows(const Results& predicted) {
  PredictionsHeld held{
      .groups = {{"all", [](const Row&) { return true; }}},
      .others = {{"untouched", [](const Row& row) -> std::optional<double> { return row.metrics.at(kMeasuredAlone); }}},
      .words =
          [](const Row& row) {
            return product_shape(row) + " beside " + row.point.at("channels").dump() + " channels over " +
                   row.point.at("gpus").dump();
          },
      .fitted = "rows that the machine was fitted to"};
  const auto add = [&held](const std::string& name, std::function<bool(const Row&)> has) {
    if (std::ranges::find(held.groups, name, &PredictionGroup::of) != held.groups.end()) return;
    held.groups.push_back({name, std::move(has)});
  };
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    const Json gpus = row.point.at("gpus");
    add(gpus.dump() + " GPUs", [gpus](const Row& other) { return other.point.at("gpus") == gpus; });
  }
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    const std::string shape = product_shape(row);
    add(shape, [shape](const Row& other) { return product_shape(other) == shape; });
  }
  return error_rows(predicted, held);
}

}  // namespace kernbench
