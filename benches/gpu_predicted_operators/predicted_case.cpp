#include "benches/gpu_predicted_operators/predicted_case.hpp"

#include <cmath>

#include "benches/gpu_predicted_operators/cases.hpp"
#include "benches/measured/reference/measured_rows.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/row_from_operator.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_copy.hpp"

namespace kernbench {
namespace {

/// To the picosecond.
double rounded(double ns) { return std::round(ns * 1000) / 1000; }

void predict_operator(Row& row, const GpuSpec& gpu) {
  const OperatorProblem problem{parse_operator(row.point.at("operation").get<std::string>(), "operation"),
                                row.point.at("batch_size"), row.point.at("sequence_length"),
                                row.point.at("tensor_dimension"),
                                parse_dtype(row.point.at("dtype").get<std::string>(), "dtype")};
  const L2State l2 = kL2States.parse(row.point.at("l2").get<std::string>());
  const Row predicted = row_of_gpu_operator(problem, gpu, l2);
  row.metrics = {{kTime, predicted.metrics.at(kTime)},
                 {kKernelsText, predicted.metrics.at(kKernelsText)},
                 {kLimitedBy, predicted.metrics.at(kLimitedBy)}};
}

void predict_copy(Row& row, const GpuSpec& gpu) {
  const GpuCopy copy = kGpuCopies.parse(row.point.at("copy").get<std::string>(), "copy");
  row.metrics = {{kTime, rounded(gpu_copy_ns(copy, row.point.at("bytes").get<Bytes>(), gpu))}};
}

}  // namespace

Row predicted_case(const LoadedGpu& gpu, const Json& point) {
  Row row;
  row.point = point;
  const auto skipped = [&row](const std::string& why) {
    row.status = "skipped";
    row.reason = why;
    row.metrics = {};
    return row;
  };
  const Row* measured = measured_case(gpu.device, point);
  if (measured == nullptr) return skipped(not_measured_on(gpu.device));
  try {
    if (point.contains("copy")) {
      predict_copy(row, gpu.spec);
    } else {
      predict_operator(row, gpu.spec);
    }
  } catch (const ConfigError& error) {
    return skipped(error.what());
  }
  row.metrics.set(kDeviceName, gpu.device);
  const auto measured_ns = measured->metrics.at(kTime);
  row.metrics.set(kMeasuredTime, measured_ns);
  row.metrics.set(kError, row.metrics.at(kTime) / measured_ns - 1);
  if (const std::optional<double> roofline = roofline_of(gpu.device, *measured))
    row.metrics.set(kRooflineTime, *roofline);
  if (is_fitted_copy(point)) row.flags.emplace_back("fitted");
  take_over_noisy(row, *measured);
  return row;
}

}  // namespace kernbench
