// gpu-predicted: every measured product of a GPU beside what its simulated machine says (adr/0052).
#include "benches/workloads/bench.hpp"

#include "benches/gpu_predicted/errors.hpp"
#include "benches/gpu_predicted/figures.hpp"
#include "benches/gpu_predicted/idle_figure.hpp"
#include "benches/gpu_predicted/measured_cases.hpp"
#include "benches/gpu_predicted/predicted_row.hpp"

namespace kernbench {
namespace {

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  return predicted_row(*machine.gpu, point);
}

/// The roofline of the data sheet.
Row theory(const MachineSpec& machine, const Point& point) { return roofline_row(*machine.gpu, point); }

const bool registered = register_bench({
    .name = "gpu-predicted",
    .summary = "Products measured on a GPU beside what its simulated machine predicts, and the errors",
    .version = "1",
    .folder = "benches/gpu_predicted",
    .axes_from = measured_axes,
    .machine = MachineKind::kGpu,
    .includes = was_measured,
    .machine_file = "topology/h200.yaml",
    .report = {{"time_ns", "predicted (ns)"}, {"measured_ns", "measured (ns)"}, {"error", "error", true}},
    .simulate = simulate,
    .theory = theory,
    .derive = product_error_rows,
    .figures = gpu_predicted_figures,
    .figures_on_machine = idle_figures,
    .headline = gpu_predicted_headline,
});

}  // namespace
}  // namespace kernbench
