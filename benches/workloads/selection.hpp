// `--only shape=128x128x128,variant=load_ref`: which points of a bench to run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// The bench's points, in its order, whose labels agree with every `axis=label` of the comma-separated `only`. The same
/// axis named twice allows both labels; an empty `only` selects everything. Throws ConfigError naming the nearest axis
/// or label.
std::vector<LabelledPoint> select_points(const Bench& bench, const std::string& only);

/// The labels that `text`, of the form of --only, names of each of the axes; of one that it does not name, none.
/// `option` begins what is thrown as ConfigError, and `owner` is whose axes they are.
std::vector<std::set<std::string>> named_labels(const std::string& option, const std::string& owner,
                                                const std::vector<Axis>& axes, const std::string& text);

}  // namespace kernbench
