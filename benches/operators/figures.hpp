// Figures of operators (adr/0043-operators.md, 43.15).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Efficiency and share of the peak bandwidth, operator by shape.
[[nodiscard]] Figure operator_shares(const Results& sim);
/// Time over the number of elements, and the plan's bound, operator by operator.
[[nodiscard]] Figure operator_times(const Results& sim, const Results& theory);
/// The share of its own machine's peak bandwidth that the plan and each measured implementation reach.
[[nodiscard]] Figure operators_beside_gpus(const Results& sim, const std::vector<Results>& measured);
/// Times of measured implementations as parts of PyTorch's.
[[nodiscard]] Figure operator_speed_up(const Results& sim, const std::vector<Results>& measured);

[[nodiscard]] std::vector<Figure> operator_figures(const Results& sim, const Results& theory);
[[nodiscard]] std::vector<Figure> operator_figures_beside(const Results& sim, const std::vector<Results>& measured);
[[nodiscard]] std::string operators_headline(const Results& sim, const Results& theory);

/// "8×128×768": batch, sequence, dimension.
[[nodiscard]] std::string operator_shape(const Json& point);
/// The distinct shapes of some rows, by their number of elements.
[[nodiscard]] std::vector<std::string> operator_shapes(const std::vector<const Row*>& rows);

}  // namespace kernbench
