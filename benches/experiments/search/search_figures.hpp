// An answer of a search as figures (adr/0038-search.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/search/search.hpp"
#include "benches/experiments/search/sensitivity.hpp"
#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// What figures of a search show; all of it outlives the call.
struct SearchToDraw {
  const Space& space;
  const Question& question;
  const Found& found;
  const Found* random = nullptr;  ///< none: it was not asked for
  const Results& results;         ///< says where the numbers come from
  std::vector<std::size_t> rows;  ///< of each machine that was tried, its place in the results
  std::string workload;           ///< "milestone-1h-gemm, 1 point on milestone-1h"
};

/// "least die.hbm.bandwidth", "most mac_util": for each goal.
[[nodiscard]] std::vector<std::string> goal_texts(const std::vector<Goal>& goals);

/// Of one goal: the best so far over the machines simulated, and chance's. Of several: every machine in the plane of
/// the first two, and the front. Then the first goal over the first two keys (35.12), and each machine as a line
/// through its values, which a drag on the page singles out. None where nothing ran.
[[nodiscard]] std::vector<Figure> search_figures(const SearchToDraw& drawn);

/// What is shown of a machine where the reader points at it: its settings, and what it is limited by, or "".
[[nodiscard]] std::string settings_text(const SearchToDraw& drawn, const Candidate& one);
[[nodiscard]] std::string limit_word(const Candidate& one);

/// A line a machine, over the axes of the space and the goals; each axis from its first to its last value, each goal
/// from its least to its most. At least one machine has to meet the targets.
[[nodiscard]] Figure search_coordinates(const SearchToDraw& drawn);

/// The best of the first goal for each pair of values of the first two keys, of machines that meet the targets.
[[nodiscard]] std::optional<Figure> search_heat_map(const SearchToDraw& drawn);

/// The shares of the axes, alone and with others, with their confidence.
[[nodiscard]] Figure sensitivity_figure(const Space& space, const Sensitivity& sensitivity, const std::string& metric,
                                        const Results& results, const std::string& workload);

}  // namespace kernbench
