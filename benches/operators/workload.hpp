// Tensor operators as a workload: LayerNorm, softmax, GELU, ... on PEs and on GPUs (docs/operators.md).
#pragma once

#include "benches/workloads/workload.hpp"

namespace kernbench {

[[nodiscard]] Workload operator_workload();

}  // namespace kernbench
