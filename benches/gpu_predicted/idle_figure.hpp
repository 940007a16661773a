// How the clock comes down from idle to the steady state (50.7).
#pragma once

#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Clock and time of three products, each again and again from idle on, over the first half second.
[[nodiscard]] std::vector<Figure> idle_figures(const Results& predicted, const MachineSpec& machine);

}  // namespace kernbench
