#include "benches/workloads/gemm/mapping_choice.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "benches/results/rows/run_metrics.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/plan/best_mappings.hpp"

namespace kernbench {
namespace {

constexpr double kTrafficOfAll = 256.0 * (1 << 20);  // bytes: a second or two of simulations
constexpr std::size_t kMostSmall = 256;

constexpr Bytes kLeastOfTile = 1024;

// 32.21: a mapping that is nearly as fast, and moves so much less, is worth it.
constexpr double kWorthwhile = 0.9;  // of the fastest's traffic
constexpr std::size_t kFrugalSimulated = 3;

/// Traffic is what a simulation takes its time for, unless tiles are small.
double cost(const RankedMapping& mapping) {
  return static_cast<double>(std::max(mapping.traffic, mapping.tiles * kLeastOfTile));
}

/// What a simulation of any mapping costs at least.
double least_cost(const GemmProblem& problem) {
  return static_cast<double>(problem.m * bytes_of(problem.k, problem.dtype) +
                             problem.k * bytes_of(problem.n, problem.stored_b()) +
                             problem.m * bytes_of(problem.n, problem.result()));
}

/// How many of the first are simulated.
std::size_t worth_simulating(const MappingSearch& search, std::size_t simulations) {
  std::size_t count = 0;
  double all = 0;
  for (const RankedMapping& ranked : search.best) {
    const bool small = count < kMostSmall && all + cost(ranked) <= kTrafficOfAll;
    if (count >= simulations && !small) break;
    ++count;
    all += cost(ranked);
  }
  return count;
}

/// Of those whose estimate is nearly the least, places in the ranking by their traffic, the least first.
std::vector<std::size_t> frugal_of(const std::vector<RankedMapping>& best) {
  std::vector<std::size_t> frugal;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].estimate.ns() > kNearlyAsFast * best.front().estimate.ns()) break;
    frugal.push_back(i);
  }
  std::ranges::stable_sort(frugal, {}, [&best](std::size_t i) { return best[i].traffic; });
  return frugal;
}

bool is_worth(const RankedMapping& frugal, const RankedMapping& fastest) {
  return static_cast<double>(frugal.traffic) <= kWorthwhile * static_cast<double>(fastest.traffic);
}

/// Of those simulated, the fastest first: the one that moves least of those nearly as fast, where that is worth it.
std::size_t frugal_one_of(const std::vector<SimulatedMapping>& simulated) {
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < simulated.size(); ++i) {
    if (time_of(simulated[i]) > kNearlyAsFast * time_of(simulated.front())) break;
    if (simulated[i].ranked.traffic < simulated[chosen].ranked.traffic) chosen = i;
  }
  return is_worth(simulated[chosen].ranked, simulated.front().ranked) ? chosen : 0;
}

/// Of those as fast as one of them, which move no more where bytes count, that with the least work of the array.
std::size_t idlest_beside(std::size_t one, const std::vector<SimulatedMapping>& simulated, bool bytes_count) {
  const auto work = [&simulated](std::size_t i) {
    return std::pair(simulated[i].ranked.array, simulated[i].ranked.traffic);
  };
  const double longest = kAsFast * time_of(simulated[one]);
  const Bytes most = simulated[one].ranked.traffic;
  std::size_t chosen = one;
  for (std::size_t i = 0; i < simulated.size() && time_of(simulated[i]) <= longest; ++i) {
    if (work(i) < work(chosen) && (!bytes_count || simulated[i].ranked.traffic <= most)) chosen = i;
  }
  return chosen;
}

/// Simulates what is worth it, in two passes.
class Choosing {
 public:
  Choosing(const MappingSearch& search, const MappingSimulation& simulation)
      : best_(search.best), least_left_(search.least_left), simulation_(simulation), times_(search.best.size()) {
    choice_.tried = search.tried;
  }

  /// The first `count`, the staging variants of `tile` and the first of each tile, where they may be the fastest, and
  /// the first of each group that is estimated to be (32.8).
  void simulate_first(std::size_t count, const TileShape& tile) {
    std::vector<MappingGroup> groups;  // of which one has been simulated, or left out
    for (std::size_t i = 0; i < best_.size(); ++i) {
      const RankedMapping& ranked = best_[i];
      const MappingGroup group = group_of(ranked);
      const bool first_of_tile = std::ranges::find(groups, group.tile, &MappingGroup::tile) == groups.end();
      const bool first_of_group = std::ranges::find(groups, group) == groups.end();
      if (first_of_group) groups.push_back(group);
      const bool variant = ranked.steps == 1 && group.tile == tile;
      const bool estimated = first_of_group && ranked.estimate.ns() < fastest_;
      if (ranked.bound.ns() < fastest_ && (i < count || variant || first_of_tile || estimated)) simulate(i);
    }
    if (choice_.simulated.empty() && over_time_ != nullptr) std::rethrow_exception(over_time_);
  }

  /// Those that move least, until one is nearly as fast as the fastest (32.21).
  void simulate_frugal() {
    if (!simulation_.bytes_cost) return;
    std::size_t simulated = 0;
    for (const std::size_t i : frugal_of(best_)) {
      if (!is_worth(best_[i], best_[fastest_place_])) return;
      if (best_[i].bound.ns() > kNearlyAsFast * fastest_) continue;
      if (!times_[i]) {
        if (simulated == kFrugalSimulated) return;
        ++simulated;
        simulate(i);
      }
      if (times_[i] && *times_[i] <= kNearlyAsFast * fastest_) return;
    }
  }

  [[nodiscard]] MappingChoice choice() && {
    choice_.others_promise = least_left_.ns() < fastest_;
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (!tried_[i] && best_[i].bound.ns() < fastest_) choice_.others_promise = true;
    }
    std::ranges::stable_sort(choice_.simulated, {}, time_of);
    const std::size_t fast = simulation_.bytes_cost ? frugal_one_of(choice_.simulated) : 0;
    choice_.chosen_index = idlest_beside(fast, choice_.simulated, fast > 0);
    return std::move(choice_);
  }

 private:
  void simulate(std::size_t place) {
    tried_[place] = true;
    try {
      choice_.simulated.push_back({best_[place], simulation_.simulate(best_[place].mapping)});
      const double time = time_of(choice_.simulated.back());
      times_[place] = time;
      if (time < fastest_) {
        fastest_ = time;
        fastest_place_ = place;
      }
    } catch (const TimeLimitError&) {
      ++choice_.over_time;
      if (over_time_ == nullptr) over_time_ = std::current_exception();
    }
  }

  const std::vector<RankedMapping>& best_;
  Picoseconds least_left_;
  const MappingSimulation& simulation_;
  std::vector<std::optional<double>> times_;                    // of those simulated, by place in the ranking
  std::vector<bool> tried_ = std::vector<bool>(times_.size());  // those that passed the limit of simulated time, too
  double fastest_ = std::numeric_limits<double>::infinity();
  std::size_t fastest_place_ = 0;
  MappingChoice choice_{};
  std::exception_ptr over_time_;
};

}  // namespace

double time_of(const SimulatedMapping& mapping) { return mapping.row.metrics.at(kTime); }

bool is_as_fast(const SimulatedMapping& one, const SimulatedMapping& fastest) {
  return time_of(one) <= kAsFast * time_of(fastest);
}

MappingSearch mappings_to_simulate(const GemmProblem& problem, const MachineSpec& machine,
                                   const MappingRequest& request, std::size_t simulations) {
  const auto small = static_cast<std::size_t>(kTrafficOfAll / least_cost(problem));
  return search_mappings(problem, machine, request, std::max(simulations, std::min(kMostSmall, small)));
}

MappingChoice choose_mapping(const MappingSearch& search, const TileShape& tile, std::size_t simulations,
                             const MappingSimulation& simulation) {
  Choosing choosing(search, simulation);
  choosing.simulate_first(worth_simulating(search, simulations), tile);
  choosing.simulate_frugal();
  return std::move(choosing).choice();
}

}  // namespace kernbench
