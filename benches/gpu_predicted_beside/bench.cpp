// gpu-predicted-beside: products beside collectives as measured, beside what simulated GPUs say (adr/0058).
#include "benches/workloads/bench.hpp"

#include "benches/gpu_predicted_beside/beside_errors.hpp"
#include "benches/gpu_predicted_beside/beside_figures.hpp"
#include "benches/gpu_predicted_beside/beside_points.hpp"
#include "benches/gpu_predicted_beside/beside_row.hpp"

namespace kernbench {
namespace {

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  return beside_row(*machine.gpu, point);
}

/// The product alone.
Row theory(const MachineSpec& machine, const Point& point) { return product_alone_row(*machine.gpu, point); }

const bool registered = register_bench({
    .name = "gpu-predicted-beside",
    .summary = "Products measured beside a collective on GPUs beside what simulated ones predict, and the errors",
    .version = "2",
    .folder = "benches/gpu_predicted_beside",
    .axes_from = beside_axes,
    .machine = MachineKind::kGpu,
    .includes = was_measured_beside,
    .machine_file = "topology/h200_x4.yaml",
    .report = {{"time_ns", "predicted (ns)"},
               {"slowdown", "times alone"},
               {"measured_slowdown", "measured"},
               {"error", "error", true}},
    .simulate = simulate,
    .theory = theory,
    .derive = beside_error_rows,
    .figures = beside_figures,
    .headline = beside_headline,
});

}  // namespace
}  // namespace kernbench
