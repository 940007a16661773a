// gemm-blocks: one GEMM on one PE over the block that is held in TCM: what reuse is worth, and how near it comes to the
// least traffic that there can be (docs/mappings.md).
#include "benches/workloads/bench.hpp"

#include "benches/gemm_blocks/figures.hpp"
#include "benches/gemm_blocks/knee.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kEstimateTime{"estimate_ns"};
constexpr Metric<double> kLeastTraffic{"least_traffic_bytes"};
constexpr Metric<std::int64_t> kTraffic{"traffic_bytes"};

GemmProblem problem_of(const Point& point) { return {.m = point.at("m"), .k = point.at("k"), .n = point.at("n")}; }

bool is_chosen(const Point& point) { return point.at("block") == kAuto; }

/// All blocks are used alike, so that they differ in nothing but what they hold.
GemmMapping mapping_of(const MachineSpec& machine, const Point& point) {
  MappingRequest request = parse_mapping("block=" + point.at("block").get<std::string>(), "block");
  return {.tile = machine.pe.mac.tile, .block = *request.block};
}

/// What is known of a mapping before it runs. S of the least traffic is the TCM that the mapping takes.
void add_plan(Row& row, const GemmProblem& problem, const MachineSpec& machine) {
  const MappingRequest request = parse_mapping(row.metrics.at(kMappingText), "mapping");
  const RankedMapping ranked = search_mappings(problem, machine, request, 1).best.front();
  row.metrics.set(kEstimateTime, ranked.estimate.ns());
  row.metrics.set(kTraffic, ranked.traffic);
  row.metrics.set(kTcmBytes, ranked.tcm);
  row.metrics.set(kLeastTraffic, least_traffic(problem, ranked.tcm));
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const GemmProblem problem = problem_of(point);
  Row row = is_chosen(point) ? simulate_blocked(machine, problem, settings)
                             : simulate_mapping(machine, problem, mapping_of(machine, point), settings);
  add_plan(row, problem, machine);
  return row;
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  return gemm_memory(machine, problem_of(point), settings.verify);
}

Row theory(const MachineSpec& machine, const Point& point) {
  if (is_chosen(point)) return bound_of_blocked(machine, problem_of(point));
  return row_from_bound(MappedGemm(problem_of(point), mapping_of(machine, point)), machine);
}

/// In runs of one mapping.
double cost(const MachineSpec& /*machine*/, const Point& point) {
  constexpr double kMappings = 10;  // simulated, or ranked in the time of a simulation, where one is chosen
  return is_chosen(point) ? kMappings : 1;
}

const bool registered = register_bench({
    .name = "gemm-blocks",
    .summary = "GEMM on one PE over the block in TCM: time and its knee, traffic and its least",
    .version = "4",
    .folder = "benches/gemm_blocks",
    .axes = {{"shape", {{"1024x1024x1024", {{"m", 1024}, {"k", 1024}, {"n", 1024}}}}},
             {"block",
              {"64x64x64", "128x128x128", "192x192x192", "256x256x256", "320x320x320", "384x384x384", "512x512x512",
               "512x64x512", "256x1024x64", kAuto}}},
    .machine_defaults = {"pe.tcm.capacity=4 MiB", "die.hbm.bandwidth=128 GB/s"},
    .report = {{"time_ns", "time (ns)"},
               {"mac_util", "MAC util", true},
               {"traffic_bytes", "HBM (B)"},
               {"tcm_bytes", "TCM (B)"}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .derive = knee_of_squares,
    .figures = gemm_blocks_figures,
    .headline = gemm_blocks_headline,
});

}  // namespace
}  // namespace kernbench
