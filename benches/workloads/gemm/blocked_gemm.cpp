#include "benches/workloads/gemm/blocked_gemm.hpp"

#include <algorithm>

#include "benches/results/rows/row_from_run.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/system/run.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {

void flag_under_tile(Row& row, const GemmProblem& problem, const MachineSpec& machine) {
  std::erase(row.flags, "under_tile");
  if (problem.under_tile(machine.pe.mac.tile)) row.flags.emplace_back("under_tile");
}

MappingChoice choose_blocked(const MachineSpec& machine, const GemmProblem& problem, const MappingRequest& asked,
                             std::size_t simulations, const std::function<Row(const GemmMapping&)>& simulate) {
  MappingSimulation simulation;
  simulation.simulate = [&](const GemmMapping& mapping) {
    renew_systemc();
    return simulate(mapping);
  };
  simulation.bytes_cost = bytes_cost(machine);
  MappingChoice choice = choose_mapping(mappings_to_simulate(problem, machine, asked, simulations),
                                        asked.tile.value_or(machine.pe.mac.tile), simulations, simulation);
  renew_systemc();  // for what the caller simulates next
  return choice;
}

Row simulate_mapping(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                     const PointSettings& settings) {
  RunSettings run;
  run.verify = settings.verify;
  Row row = row_from_run(run_gemm(machine, problem, mapping, run), with_tile(machine, mapping.tile), problem);
  flag_under_tile(row, problem, machine);
  row.metrics.set(kMappingText, to_text(mapping));
  return row;
}

Row simulate_blocked(const MachineSpec& machine, const GemmProblem& problem, const PointSettings& settings,
                     const MappingRequest& asked) {
  const auto simulate = [&](const GemmMapping& mapping) {
    return simulate_mapping(machine, problem, mapping, settings);
  };
  return choose_blocked(machine, problem, asked, kMappingsSimulated, simulate).chosen().row;
}

Row bound_of_blocked(const MachineSpec& machine, const GemmProblem& problem, const MappingRequest& asked) {
  const RankedMapping least = least_bound_mapping(problem, machine, asked);
  Row row = row_from_bound(MappedGemm(problem, least.mapping), with_tile(machine, least.mapping.tile));
  if (row.status == "ok") flag_under_tile(row, problem, machine);
  return row;
}

}  // namespace kernbench
