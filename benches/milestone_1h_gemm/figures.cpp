#include "benches/milestone_1h_gemm/figures.hpp"

#include <algorithm>

#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {

std::vector<Figure> milestone_1h_gemm_figures(const Results& sim, const Results& theory) {
  std::vector<Figure> figures = {stage_breakdown_simulated(sim), mac_utilisation_simulated(sim, theory)};
  const bool any_theory = std::ranges::any_of(theory.rows, [](const Row& row) { return row.status == "ok"; });
  if (any_theory) figures.push_back(bound_vs_simulated(sim, theory));  // a foreign memory has none (29.4)
  const auto has_ledger = [](const Row& row) { return row.metrics.has(kLimitedBy); };
  if (std::ranges::any_of(sim.rows, has_ledger)) figures.insert(figures.begin(), time_by_cause(sim));
  return figures;
}

std::vector<Figure> milestone_1h_gemm_on_machine(const Results& sim, const MachineSpec& machine) {
  return {roofline(sim, machine)};
}

std::vector<Figure> milestone_1h_gemm_beside(const Results& sim, const std::vector<Results>& measured) {
  return {gemm_beside_gpus(sim, measured)};
}

}  // namespace kernbench
