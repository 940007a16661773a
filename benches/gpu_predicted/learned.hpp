// What trees say that learned from measured products of other shapes (adr/0046), to hold the simulated GPU against.
#pragma once

#include <map>
#include <vector>

#include "benches/harness/results/results.hpp"

namespace kernbench {

/// Times in ns of those rows of the run whose shape the trees cover: each from a training on the groups of shapes that
/// it is not in.
[[nodiscard]] std::map<const Row*, double> learned_times(const Results& predicted, const std::vector<const Row*>& rows);

}  // namespace kernbench
