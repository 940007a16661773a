// What `kernbench run` prints at its end: a row a point, simulated beside theory.
#pragma once

#include <string>
#include <vector>

#include "benches/harness/run/run_bench.hpp"

namespace kernbench {

/// Columns: the axes, the bench's report metrics, and where it has a theory that of the first metric and how far the
/// simulated one is from it (positive: simulated is larger); then flags and status.
std::string format_summary(const Bench& bench, const std::vector<LabelledPoint>& points, const BenchRun& run,
                           bool colours);

}  // namespace kernbench
