// A plot for each group of shapes, and what the page's reader shows and hides in all of them (docs/universal-gemm.md).
#pragma once

#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Of each group the run's shapes: a bar for each case, simulated, and on real GPUs of the same number; the dashed line
/// is all devices' peak.
[[nodiscard]] std::vector<Figure> group_figures(const Results& simulated, const std::vector<Results>& measured);

/// group, method, partitions, replication, and source: "simulated", or a measured machine's name.
[[nodiscard]] std::vector<Axis> group_toggles(const Bench& bench, const std::vector<Results>& measured);

}  // namespace kernbench
