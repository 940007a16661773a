// What a PE does for its share of an operator (adr/0043-operators.md, 43.8, 43.9).
#pragma once

#include <memory>

#include "sim/plan/operators/operator_plan.hpp"
#include "sim/system/kernel.hpp"

namespace kernbench {

/// Throws as the calls of KernelPe.
[[nodiscard]] Process run_operator_share(KernelPe pe, std::shared_ptr<const OperatorPlan> plan);

}  // namespace kernbench
