// overlap-sweep: training steps whose GEMMs run beside their all_reduces, over channels and threads
// (docs/overlap-sweep.md).
#include "benches/workloads/bench.hpp"

#include "benches/overlap_sweep/figures.hpp"
#include "benches/overlap_sweep/point.hpp"
#include "benches/workloads/training/training_row.hpp"
#include "benches/workloads/training/training_traces.hpp"

namespace kernbench {
namespace {

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings&) {
  const OverlapCase asked = overlap_case(machine, point);
  return row_from_training(run_training(machine, asked.setup, asked.steps, asked.injections), asked.injections);
}

/// Of a step that nothing is injected into.
Row theory(const MachineSpec& machine, const Point& point) {
  return row_from_training_bound(plan_training(machine, overlap_case(machine, point).setup));
}

void check(const MachineSpec& machine, const Point& point) {
  check_training(machine, overlap_case(machine, point).setup);
}

/// In tiles of all GEMMs.
double cost(const MachineSpec& machine, const Point& point) {
  const TileShape& tile = machine.pe.mac.tile;
  double macs = 0;
  const OverlapCase asked = overlap_case(machine, point);
  for (const TrainingGemm& gemm : asked.setup.step.gemms) macs += static_cast<double>(gemm.problem.macs());
  return static_cast<double>(asked.steps) * macs / static_cast<double>(tile.m * tile.k * tile.n);
}

const bool registered = register_bench({
    .name = "overlap-sweep",
    .summary = "Training steps on several packages: GEMMs beside all_reduces, over channels and threads, with traces",
    .version = "1",
    .folder = "benches/overlap_sweep",
    .axes = overlap_sweep_axes(),
    .machine_defaults = {"system.packages.rows=2", "system.packages.columns=2", "system.arrangement=mesh",
                         "pe.message_queue.slot_bytes=512 B", "simulation.packet_bytes=4 KiB"},
    .uses_network = true,
    .report = {{"time_ns", "step (ns)"},
               {"gemm_ns", "GEMMs (ns)"},
               {"comm_ns", "all_reduces (ns)"},
               {"exposed_fraction", "exposed", true}},
    .simulate = simulate,
    .cost = cost,
    .theory = theory,
    .check = check,
    .figures = overlap_sweep_figures,
    .traces = training_run_files,
});

}  // namespace
}  // namespace kernbench
