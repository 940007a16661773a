// Figures of gpu-predicted (adr/0052).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

[[nodiscard]] std::vector<Figure> gpu_predicted_figures(const Results& predicted, const Results& theory);
[[nodiscard]] std::string gpu_predicted_headline(const Results& predicted, const Results& theory);

}  // namespace kernbench
