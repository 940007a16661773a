// What trees say that learned from measured products of other shapes (adr/0046), to hold the simulated GPU against.
#pragma once

#include <string>

#include "benches/measured/cases/prediction_errors.hpp"

namespace kernbench {

/// Of products measured on this device, where the trees cover them: each from a training on the groups of shapes that
/// it is not in.
[[nodiscard]] OtherPrediction predicted_by_trees(const std::string& device);

}  // namespace kernbench
