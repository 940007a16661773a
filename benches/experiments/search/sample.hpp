// Some of the machines of a grid: those of which conditions hold, or a sample (adr/0035-what-if.md, 35.9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/experiments/search/expression.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

/// The bench, swept over these axes, without the points on machines of which a condition does not hold. Values that
/// contradict each other stay: their rows say so. Throws ConfigError where no point is left.
[[nodiscard]] Bench with_conditions(Bench sweep, const std::vector<Axis>& axes,
                                    const std::vector<Condition>& conditions, const MachineSpec& machine);

/// One axis, "machine", in place of `axes`: a sample of their grid, each machine once. `text` is "sobol:64", a Sobol
/// sequence shifted by what the seed says, or "lhs:64", a Latin hypercube; of the sample those machines of which all
/// conditions hold. Throws ConfigError, which begins with --sample.
[[nodiscard]] Axis sampled_axis(const std::vector<Axis>& axes, const std::string& text, std::uint32_t seed,
                                const std::vector<Condition>& conditions, const MachineSpec& machine);

/// The first metric of the bench over each key of a sample: a panel a key.
[[nodiscard]] Figure sample_figure(const Bench& bench, const Axis& sample, const Results& simulated);

}  // namespace kernbench
