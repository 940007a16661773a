#include "benches/harness/run/mapping_choice.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include "sim/engine/calendar.hpp"

namespace kernbench {
namespace {

constexpr double kTrafficOfAll = 256.0 * (1 << 20);  // bytes: a second or two of simulations
constexpr std::size_t kMostSmall = 256;

constexpr Bytes kLeastOfTile = 1024;

/// Traffic is what a simulation takes its time for, unless tiles are small.
double cost(const RankedMapping& mapping) {
  return static_cast<double>(std::max(mapping.traffic, mapping.tiles * kLeastOfTile));
}

/// How many of the first are simulated, and what they cost.
std::pair<std::size_t, double> worth_simulating(const MappingSearch& search, std::size_t simulations) {
  std::size_t count = 0;
  double all = 0;
  for (const RankedMapping& ranked : search.best) {
    const bool small = count < kMostSmall && all + cost(ranked) <= kTrafficOfAll;
    if (count >= simulations && !small) break;
    ++count;
    all += cost(ranked);
  }
  return {count, all};
}

}  // namespace

double time_of(const SimulatedMapping& mapping) { return mapping.row.metrics.at("time_ns").get<double>(); }

MappingChoice choose_mapping(const MappingSearch& search, const TileShape& tile, std::size_t simulations,
                             const MappingSimulation& simulation) {
  MappingChoice choice{.simulated = {}, .tried = search.tried, .fit = search.fit};
  const auto [count, all] = worth_simulating(search, simulations);
  if (simulation.on_begin) simulation.on_begin(count, all);
  double fastest = std::numeric_limits<double>::infinity();
  std::vector<TileShape> tiles;  // of which one has been simulated, or left out for its bound
  std::exception_ptr over_time;
  const auto simulate = [&](const RankedMapping& ranked) {
    try {
      choice.simulated.push_back({ranked, simulation.simulate(ranked.mapping)});
      fastest = std::min(fastest, time_of(choice.simulated.back()));
    } catch (const TimeLimitError&) {
      ++choice.over_time;
      if (over_time == nullptr) over_time = std::current_exception();
    }
  };
  for (std::size_t i = 0; i < search.best.size(); ++i) {
    const RankedMapping& ranked = search.best[i];
    const bool variant = ranked.steps == 1 && ranked.mapping.tile == tile;
    const bool promising = ranked.bound.ns() < fastest;
    const bool first_of_tile = std::ranges::find(tiles, ranked.mapping.tile) == tiles.end();
    if (first_of_tile) tiles.push_back(ranked.mapping.tile);
    if (promising && (i < count || variant || first_of_tile)) {
      simulate(ranked);
    } else if (promising) {
      ++choice.promising;
    }
    if (i < count && simulation.on_done) simulation.on_done(cost(ranked));
  }
  if (choice.simulated.empty() && over_time != nullptr) std::rethrow_exception(over_time);
  std::ranges::stable_sort(choice.simulated, {}, time_of);
  return choice;
}

}  // namespace kernbench
