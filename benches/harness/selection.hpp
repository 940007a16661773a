// `--only shape=128x128x128,variant=load_ref`: which points of a bench to run.
#pragma once

#include <string>
#include <vector>

#include "benches/harness/bench.hpp"

namespace kernbench {

/// The bench's points, in its order, whose labels agree with every `axis=label` of the comma-separated `only`. The same
/// axis named twice allows both labels; an empty `only` selects everything. Throws ConfigError naming the nearest axis
/// or label.
std::vector<LabelledPoint> select_points(const Bench& bench, const std::string& only);

}  // namespace kernbench
