// Figures of the overlap sweep, from results alone.
#pragma once

#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Step time over channels, a line for each number of threads; GEMMs' time against how much of it a collective runs.
[[nodiscard]] std::vector<Figure> overlap_sweep_figures(const Results& simulated, const Results& theory);

}  // namespace kernbench
