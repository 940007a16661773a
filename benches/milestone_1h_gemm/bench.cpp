// milestone-1h-gemm: one GEMM on one PE, eight shapes by three staging variants, and by the mapping that suits it best.
#include "benches/workloads/bench.hpp"

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "sim/system/run.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kBlocked = "blocked";  ///< the mapping that is chosen for the shape on the machine (32.11)

AxisValue shape(const char* label, int m, int k, int n) { return {label, {{"m", m}, {"k", k}, {"n", n}}}; }

GemmProblem problem_of(const Point& point) {
  return {.m = point.at("m"), .k = point.at("k"), .n = point.at("n"), .layout = Layout::kBlocked, .epilogues = {}};
}

bool is_blocked(const Point& point) { return point.at("variant") == kBlocked; }

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const GemmProblem problem = problem_of(point);
  if (is_blocked(point)) return simulate_blocked(machine, problem, settings);
  RunSettings run;
  run.verify = settings.verify;
  return row_from_run(run_gemm(machine, problem, point.at("variant"), run), machine, problem);
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  return gemm_memory(machine, problem_of(point), settings.verify);
}

/// In units of a tile of 32x64x32, and what a run costs before and after them.
double tiles_of(const Point& point) {
  constexpr double kSetUp = 50;
  constexpr double kMappings = 12;  // simulated for one blocked run, about
  const double run = kSetUp + static_cast<double>(problem_of(point).macs()) / (32 * 64 * 32);
  return is_blocked(point) ? kMappings * run : run;
}

Row theory(const MachineSpec& machine, const Point& point) {
  if (is_blocked(point)) return bound_of_blocked(machine, problem_of(point));
  return row_from_bound(problem_of(point), find_gemm_kernel(point.at("variant")).residency, machine);
}

const bool registered = register_bench({
    .name = "milestone-1h-gemm",
    .summary = "GEMM on one PE: 8 shapes, 3 ways to stage the operands, and blocks in TCM",
    .version = "3",
    .folder = "benches/milestone_1h_gemm",
    .axes = {{"shape",
              {shape("32x64x32", 32, 64, 32), shape("16x64x32", 16, 64, 32), shape("32x32x32", 32, 32, 32),
               shape("32x64x16", 32, 64, 16), shape("128x128x128", 128, 128, 128), shape("256x256x256", 256, 256, 256),
               shape("512x512x512", 512, 512, 512), shape("32x3072x32", 32, 3072, 32)}},
             {"variant", {"ref_ref", "load_ref", "load_load", kBlocked}}},
    .report = {{"time_ns", "time (ns)"}, {"mac_util", "MAC util", true}, {"useful_eff", "useful eff", true}},
    .speed_up_over = "variant",
    .simulate = simulate,
    .memory = memory,
    .cost = [](const MachineSpec&, const Point& point) { return tiles_of(point); },
    .theory = theory,
    .figures = milestone_1h_gemm_figures,
    .figures_on_machine = milestone_1h_gemm_on_machine,
    .headline = milestone_1h_gemm_headline,
    .measured_bench = "gpu-gemm",
    .figures_beside = milestone_1h_gemm_beside,
});

}  // namespace
}  // namespace kernbench
