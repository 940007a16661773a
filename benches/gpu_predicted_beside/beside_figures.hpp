// The cliff: how many times as long a product takes beside a collective, over its channels (adr/0058).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

[[nodiscard]] std::vector<Figure> beside_figures(const Results& predicted, const Results& theory);
[[nodiscard]] std::string beside_headline(const Results& predicted, const Results& theory);

}  // namespace kernbench
