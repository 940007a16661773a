// gpu-predicted-operators: every measured operator and copy of a GPU beside what its simulated machine says (adr/0053).
#include "benches/workloads/bench.hpp"

#include "benches/gpu_predicted_operators/case_errors.hpp"
#include "benches/gpu_predicted_operators/case_figures.hpp"
#include "benches/gpu_predicted_operators/cases.hpp"
#include "benches/gpu_predicted_operators/predicted_case.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  return predicted_case(*machine.gpu, point);
}

/// The roofline of the data sheet.
Row theory(const MachineSpec& machine, const Point& point) {
  Row row;
  row.point = point;
  const Row* measured = measured_case(machine.gpu->device, point);
  const std::optional<double> roofline =
      measured == nullptr ? std::nullopt : roofline_of(machine.gpu->device, *measured);
  if (roofline) {
    row.metrics = {{kTime, *roofline}};
  } else {
    row.status = "skipped";
    row.reason = "no roofline: not measured, or the data sheet has no bandwidth of it";
  }
  return row;
}

const bool registered = register_bench({
    .name = "gpu-predicted-operators",
    .summary = "Operators and copies measured on a GPU beside what its simulated machine predicts, and the errors",
    .version = "1",
    .folder = "benches/gpu_predicted_operators",
    .axes_from = operator_case_axes,
    .machine = MachineKind::kGpu,
    .machine_file = "topology/h200.yaml",
    .report = {{"time_ns", "predicted (ns)"}, {"measured_ns", "measured (ns)"}, {"error", "error", true}},
    .simulate = simulate,
    .theory = theory,
    .derive = case_error_rows,
    .figures = predicted_case_figures,
    .headline = predicted_case_headline,
});

}  // namespace
}  // namespace kernbench
