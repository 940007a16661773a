// The figures of the collectives bench, drawn from its results (docs/collectives.md says how to read them).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// all_reduce: time, and bus bandwidth, over the size, a line an algorithm, a panel a scale; the bound dashed.
Figure latency_vs_size(const Results& sim, const Results& theory);
Figure busbw_vs_size(const Results& sim, const Results& theory);

/// The other collectives on a die: time over size.
Figure collectives_on_a_die(const Results& sim, const Results& theory);

/// The fastest all_reduce for each size and scale, from the derived rows; and of every collective on a die.
Figure best_algorithm(const Results& sim);
Figure best_algorithm_by_collective(const Results& sim);

/// all_reduce on more and more PEs, at a small and a large size.
Figure time_vs_ranks(const Results& sim, const Results& theory);

/// How busy every link of the package's mesh is.
Figure link_utilisation(const Results& sim);

/// The hierarchical all_reduce's phases with the root die in the centre and in a corner.
Figure root_die_phases(const Results& sim);

/// Arrangements of six packages, and where the message slots lie.
Figure tiers_and_arrangements(const Results& sim, const Results& theory);

/// Beside NCCL on real GPUs, from their reference data (ADR-0025).
Figure all_reduce_beside_gpus(const Results& sim, const std::vector<Results>& measured);
Figure collectives_beside_gpus(const Results& sim, const std::vector<Results>& measured);

/// Those beside GPUs; one that would show no simulated or no measured row is left out.
std::vector<Figure> milestone_1h_ccl_beside(const Results& sim, const std::vector<Results>& measured);

/// All others. Every point of the results is in at least one; values are those of the rows.
std::vector<Figure> milestone_1h_ccl_figures(const Results& sim, const Results& theory);

/// The fastest all_reduce of the smallest and of the largest size, by scale.
std::string milestone_1h_ccl_headline(const Results& sim, const Results& theory);

}  // namespace kernbench
