// What gemm-blocks draws and says of its results.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// Left the time over the TCM that a block takes, with its bound and the knee; right the HBM traffic over it, above the
/// least that any order of the multiplications moves with so much TCM. Every good point is in both.
[[nodiscard]] Figure time_and_traffic_over_blocks(const Results& sim, const Results& theory);

[[nodiscard]] std::vector<Figure> gemm_blocks_figures(const Results& sim, const Results& theory);

/// The knee, and what is chosen; empty where neither is known.
[[nodiscard]] std::string gemm_blocks_headline(const Results& sim, const Results& theory);

}  // namespace kernbench
