// What is drawn of distributed GEMMs (docs/universal-gemm.md).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

[[nodiscard]] std::vector<Figure> universal_gemm_figures(const Results& simulated, const Results& theory);
/// The groups of shapes (figures/groups.hpp), and shares of peak of the same cases on real GPUs, as many as the
/// simulated machine has devices; none of these where there are no such rows.
[[nodiscard]] std::vector<Figure> universal_gemm_beside(const Results& simulated, const std::vector<Results>& measured);
/// How often `auto` would have been the fastest method, and what it costs where not.
[[nodiscard]] std::string universal_gemm_headline(const Results& simulated, const Results& theory);

}  // namespace kernbench
