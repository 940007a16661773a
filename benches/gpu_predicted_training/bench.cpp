// gpu-predicted-training: steps of data-parallel training as measured, beside what simulated GPUs say (adr/0059).
#include "benches/workloads/bench.hpp"

#include "benches/gpu_predicted_training/measured_steps.hpp"
#include "benches/gpu_predicted_training/training_errors.hpp"
#include "benches/gpu_predicted_training/training_figures.hpp"
#include "benches/gpu_predicted_training/training_prediction.hpp"
#include "benches/workloads/training/training_traces.hpp"

namespace kernbench {
namespace {

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  return training_prediction(*machine.gpu, point);
}

Row theory(const MachineSpec& machine, const Point& point) { return untouched_training_row(*machine.gpu, point); }

void check(const MachineSpec& machine, const Point& point) { check_training_point(*machine.gpu, point); }

const bool registered = register_bench({
    .name = "gpu-predicted-training",
    .summary = "Steps of data-parallel training on GPUs: predicted beside measured ones, with traces of both",
    .version = "1",
    .folder = "benches/gpu_predicted_training",
    .axes_from = training_axes,
    .machine = MachineKind::kGpu,
    .includes = is_training_point,
    .machine_file = "topology/h200_x4.yaml",
    .report = {{"time_ns", "step (ns)"},
               {"measured_ns", "measured"},
               {"error", "error", true},
               {"gemm_ns", "GEMMs (ns)"},
               {"measured_gemm_ns", "measured"},
               {"exposed_comm_ns", "exposed (ns)"},
               {"measured_exposed_comm_ns", "measured"}},
    .simulate = simulate,
    .theory = theory,
    .check = check,
    .derive = training_error_rows,
    .figures = training_figures,
    .traces = training_run_files,
    .headline = training_headline,
});

}  // namespace
}  // namespace kernbench
