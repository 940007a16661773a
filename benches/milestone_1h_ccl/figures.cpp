#include "benches/milestone_1h_ccl/figures.hpp"

namespace kernbench {

std::vector<Figure> milestone_1h_ccl_figures(const Results& sim, const Results& theory) {
  return {latency_vs_size(sim, theory),
          busbw_vs_size(sim, theory),
          best_algorithm(sim),
          time_vs_ranks(sim, theory),
          link_utilisation(sim),
          root_die_phases(sim),
          tiers_and_arrangements(sim, theory),
          collectives_on_a_die(sim, theory),
          best_algorithm_by_collective(sim)};
}

}  // namespace kernbench
