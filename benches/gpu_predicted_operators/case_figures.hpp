// Figures of predicted operators and copies beside measured ones (adr/0053).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

[[nodiscard]] std::vector<Figure> predicted_case_figures(const Results& predicted, const Results& theory);
[[nodiscard]] std::string predicted_case_headline(const Results& predicted, const Results& theory);

}  // namespace kernbench
