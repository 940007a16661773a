// What `kernbench run` prints at its end: a row a point, simulated beside theory.
#pragma once

#include <string>
#include <vector>

#include "benches/experiments/run/run_bench.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench {

/// Columns: the axes, the bench's report metrics, the speed-up, what limits it; where there is a theory its bound
/// of the first metric, how far above it the simulated one is, and what the bound is by; flags; where not all are ok
/// the status. Below stands each reason once with the points that it is of.
std::string format_summary(const Bench& bench, const std::vector<LabelledPoint>& points, const BenchRun& run,
                           const Terminal& terminal);

/// What the points of a file come to, a row a machine; where there are many only how many. "" of one.
std::string format_totals(const Results& simulated, const Terminal& terminal);

/// What a run would do: a row a point with its share of the work, and whether it is known already.
std::string format_plan(const Bench& bench, const std::vector<LabelledPoint>& points,
                        const std::vector<PlannedPoint>& planned, const Terminal& terminal);

}  // namespace kernbench
