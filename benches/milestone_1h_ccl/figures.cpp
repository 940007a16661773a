#include "benches/milestone_1h_ccl/figures.hpp"

#include <algorithm>

namespace kernbench {

std::vector<Figure> milestone_1h_ccl_figures(const Results& sim, const Results& theory) {
  std::vector<Figure> figures = {latency_vs_size(sim, theory),
                                 busbw_vs_size(sim, theory),
                                 best_algorithm(sim),
                                 time_vs_ranks(sim, theory),
                                 link_utilisation(sim),
                                 root_die_phases(sim),
                                 tiers_and_arrangements(sim, theory),
                                 collectives_on_a_die(sim, theory),
                                 best_algorithm_by_collective(sim)};
  // A run of some of the points leaves figures without any.
  std::erase_if(figures, [](const Figure& figure) {
    const auto data = figure.spec.find("data");
    return data != figure.spec.end() && data->at("values").empty();
  });
  return figures;
}

std::vector<Figure> milestone_1h_ccl_beside(const Results& sim, const std::vector<Results>& measured) {
  std::vector<Figure> figures = {all_reduce_beside_gpus(sim, measured), collectives_beside_gpus(sim, measured)};
  std::erase_if(figures, [](const Figure& figure) {
    const Json& records = figure.spec.at("data").at("values");
    const auto none_from = [&records](const char* source) {
      return std::none_of(records.begin(), records.end(),
                          [source](const Json& record) { return record.at("source") == source; });
    };
    return none_from("sim") || none_from("gpu");
  });
  return figures;
}

}  // namespace kernbench
