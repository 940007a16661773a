// Figures of predicted and measured steps of training (adr/0059).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The step over channels; what the analysis says of simulated and of measured traces, where the time goes and what
/// overlapping costs. Rows that were not measured are in none: without any measured row there is none.
[[nodiscard]] std::vector<Figure> training_figures(const Results& predicted, const Results& theory);
[[nodiscard]] std::string training_headline(const Results& predicted, const Results& theory);

}  // namespace kernbench
