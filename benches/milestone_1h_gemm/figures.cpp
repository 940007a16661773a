#include "benches/milestone_1h_gemm/figures.hpp"

namespace kernbench {

std::vector<Figure> milestone_1h_gemm_figures(const Results& sim, const Results& theory) {
  return {stage_breakdown_simulated(sim), mac_utilisation_simulated(sim, theory), theory_vs_simulated(sim, theory)};
}

}  // namespace kernbench
