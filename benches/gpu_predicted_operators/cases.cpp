#include "benches/gpu_predicted_operators/cases.hpp"

#include <bit>

#include "benches/io/files/source_tree.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

const MeasuredRows& operators() {
  static const MeasuredRows kRows("gpu-operators",
                                  {"operation", "batch_size", "sequence_length", "tensor_dimension", "dtype", "l2"},
                                  [](const Row& row) { return row.point.at("implementation") == "pytorch"; });
  return kRows;
}

const MeasuredRows& copies() {
  static const MeasuredRows kRows("gpu-copy", {"copy", "gpus", "bytes"});
  return kRows;
}

std::string label_of(const Json& fields) {
  std::string label;
  for (const auto& [name, value] : fields.items()) {
    label += (label.empty() ? "" : " ") + plain_text(value);
  }
  return label;
}

std::optional<double> copy_roofline(const Row& row, const Device& device) {
  const std::string copy = row.point.at("copy");
  const auto bytes = row.point.at("bytes").get<double>();
  if (copy == "device_to_device") return 2 * bytes / device.memory_gbs;
  if (copy.starts_with("peer") && device.link_gbs) return bytes / *device.link_gbs;
  return std::nullopt;
}

}  // namespace

std::vector<Axis> operator_case_axes() {
  Axis cases{.name = "case", .values = {}};
  for (const MeasuredRows* rows : {&operators(), &copies()}) {
    for (const Json& point : rows->points()) cases.values.emplace_back(label_of(point), point);
  }
  return {cases};
}

const Row* measured_case(const std::string& device, const Point& point) {
  return (point.contains("copy") ? copies() : operators()).find(device, point);
}

std::optional<double> roofline_of(const std::string& device, const Row& measured) {
  if (measured.metrics.has(kOperatorEfficiency)) {
    return measured.metrics.at(kOperatorEfficiency) * measured.metrics.at(kTime);
  }
  if (!measured.point.contains("copy")) return std::nullopt;
  return copy_roofline(measured, read_device(in_source_tree(kReferenceFolder), device));
}

bool is_fitted_copy(const Point& point) {
  if (!point.contains("copy") || point.at("copy") == "peer_bidirectional" || point.at("gpus") > 2) return false;
  const auto bytes = point.at("bytes").get<std::uint64_t>();
  constexpr int kEvery = 4;  // a kibibyte times powers of sixteen
  return std::has_single_bit(bytes) && (std::countr_zero(bytes) - 10) % kEvery == 0;
}

}  // namespace kernbench
