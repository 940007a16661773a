// A run of an operator on several PEs as a row of results (adr/0043-operators.md).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/plan/gpu/gpu_operator.hpp"
#include "sim/system/operators/operator_run.hpp"

namespace kernbench {

/// The columns of a measured operator's row (time_ms, memory_mb, inference_speed, efficiency, throughput_gbps), the
/// plan, what was moved, the energy where the machine file says what that costs; stages kStagesOfPe of each PE.
[[nodiscard]] Row row_of_operator(const MultiPeResult& run, const OperatorPlan& plan, const MachineSpec& machine);

/// In closed form: the plan's bound.
[[nodiscard]] Row row_of_operator_bound(const OperatorPlan& plan, const MachineSpec& machine);

/// PyTorch's on a GPU, as it is measured (53.7): time, kernels, their parts, and how far it is from its bound (53.11).
/// Both throw as gpu_operator_time().
[[nodiscard]] Row row_of_gpu_operator(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2);
/// In closed form (53.11).
[[nodiscard]] Row row_of_gpu_operator_bound(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2);

}  // namespace kernbench
