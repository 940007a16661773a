#include "benches/milestone_1h_gemm/figures.hpp"

namespace kernbench {

std::vector<Figure> milestone_1h_gemm_figures(const Results& sim, const Results& theory) {
  return {stage_breakdown_simulated(sim), mac_utilisation_simulated(sim, theory), theory_vs_simulated(sim, theory)};
}

std::vector<Figure> milestone_1h_gemm_beside(const Results& sim, const std::vector<Results>& measured) {
  return {gemm_beside_gpus(sim, measured)};
}

}  // namespace kernbench
