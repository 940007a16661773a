// The commands of method dtensor: operands to where they are multiplied, products, results to where they belong, one
// phase after the other (ADR-0023).
#pragma once

#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

/// Afterwards every replica of C holds A * B. `plan` is of kDtensor.
CommandList redistribute_and_multiply(const DistributedGemmPlan& plan);

}  // namespace kernbench
