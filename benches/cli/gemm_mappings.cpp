#include "benches/cli/gemm_mappings.hpp"

#include <algorithm>
#include <limits>

#include "benches/harness/run/progress.hpp"

namespace kernbench {
namespace {

constexpr double kTrafficOfAll = 256.0 * (1 << 20);  // bytes: a second or two of simulations

/// Traffic is what a simulation takes its time for.
double cost(const RankedMapping& mapping) { return static_cast<double>(mapping.traffic); }

}  // namespace

double time_of(const SimulatedMapping& mapping) { return mapping.row.metrics.at("time_ns").get<double>(); }

MappingChoice choose_mapping(const SimGemmOptions& options, const GemmProblem& problem, const LoadedMachine& machine,
                             const MappingRequest& request, std::size_t simulations) {
  const MappingSearch search = search_mappings(problem, machine.spec, request);
  MappingChoice choice{.simulated = {}, .tried = search.tried, .fit = search.fit};
  std::vector<RankedMapping> chosen;
  double all = 0;
  for (const RankedMapping& ranked : search.best) {
    if (chosen.size() >= simulations && all + cost(ranked) > kTrafficOfAll) break;
    chosen.push_back(ranked);
    all += cost(ranked);
  }
  Progress progress("mappings", chosen.size(), 0, all, Progress::Shows::kBar);
  double fastest = std::numeric_limits<double>::infinity();
  const auto simulate = [&](const RankedMapping& ranked) {
    choice.simulated.push_back({ranked, simulate_gemm(options, problem, {"mapped", ranked.mapping}, machine)});
    fastest = std::min(fastest, time_of(choice.simulated.back()));
  };
  for (std::size_t i = 0; i < search.best.size(); ++i) {
    const RankedMapping& ranked = search.best[i];
    const bool promising = ranked.bound.ns() < fastest;
    if (i < chosen.size()) {
      if (promising) simulate(ranked);
      progress.point_done("", cost(ranked), false);
    } else if (promising && ranked.steps == 1) {
      simulate(ranked);
    } else if (promising) {
      ++choice.promising;
    }
  }
  std::ranges::stable_sort(choice.simulated, {}, time_of);
  return choice;
}

}  // namespace kernbench
