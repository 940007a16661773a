// A run of an operator on several PEs as a row of results (adr/0043-operators.md).
#pragma once

#include "benches/harness/results/results.hpp"
#include "sim/system/operators/operator_run.hpp"

namespace kernbench {

/// The columns of a measured operator's row (time_ms, memory_mb, inference_speed, efficiency, throughput_gbps), the
/// plan, what was moved, the energy where the machine file says what that costs; stages kStagesOfPe of each PE.
[[nodiscard]] Row row_of_operator(const OverResult& run, const OperatorPlan& plan, const MachineSpec& machine);

/// In closed form: the plan's bound.
[[nodiscard]] Row row_of_operator_bound(const OperatorPlan& plan, const MachineSpec& machine);

}  // namespace kernbench
