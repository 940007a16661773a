// The library that decides what to try next: pagmo's genetic algorithms.
#pragma once

#include <cstdint>

#include "benches/experiments/search/trials.hpp"

namespace kernbench {

/// Tries choices until the budget is spent, or nothing new comes any more: `first`, if it is one, and then what pagmo's
/// sga (one goal) or nsga2 (several) breed, restarted where it stands still (38.4).
void optimise(const Space& space, std::size_t goals, std::uint32_t seed, const Choice& first, Trials& trials);

/// Of points, each with a loss for each goal, those that no other beats: not better in one without being worse in
/// another. By the first loss.
[[nodiscard]] std::vector<std::size_t> not_dominated(const std::vector<std::vector<double>>& losses);

}  // namespace kernbench
