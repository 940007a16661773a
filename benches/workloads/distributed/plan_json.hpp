// A distributed GEMM's plan and command list as a document (ADR-0023).
#pragma once

#include "benches/io/text/json.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"

namespace kernbench {

/// The problem; the tiles of A, B and C with their owners, rows and columns as [begin, end); each device's operations
/// in their order; the commands in the order of the list, with what they wait for; bytes that each device gets and
/// gives; of dtensor, which dimension is cut along each dimension of the mesh.
[[nodiscard]] Json plan_json(const DistributedGemm& problem, const DistributedGemmPlan& plan, const CommandList& list);

}  // namespace kernbench
