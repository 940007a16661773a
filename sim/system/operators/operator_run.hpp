// An operator on some of a machine's PEs: planned, simulated, its values compared (adr/0043-operators.md).
#pragma once

#include <memory>
#include <vector>

#include "sim/plan/memory_estimate.hpp"
#include "sim/plan/operators/operator_plan.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/multi_pe_report.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// TCM that a PE has for its share, beside the slots of the queues of a barrier (43.7).
[[nodiscard]] Bytes tcm_for_operator(const MachineSpec& machine, Operator op, std::int64_t pes);

/// As run_operator does it. Throws as plan_operator.
[[nodiscard]] OperatorPlan plan_operator_on(const MachineSpec& machine, const OperatorProblem& problem,
                                            std::int64_t pes);

/// A planned operator as a launch: its matrices take their room in the partitions, and get values where the machine
/// carries them.
class OperatorLaunch : public KernelLaunch {
 public:
  /// Throws CapacityError where the plan's matrices have no room.
  OperatorLaunch(System& system, OperatorPlan plan, const std::vector<std::int32_t>& pes);
  /// Throws SimulationError, which names the first wrong element, where the result is further from the reference than
  /// 43.13 allows. Returns how many elements were compared.
  std::int64_t check(System& system) const;

 private:
  std::shared_ptr<const OperatorPlan> plan_;
};

/// Throws ConfigError for wrong input, SimulationError for a deadlock, an exceeded limit, a race or a wrong result.
[[nodiscard]] MultiPeResult run_operator(const MachineSpec& machine, const OperatorPlan& plan,
                                         const std::vector<std::int32_t>& pes, const RunSettings& settings = {});

/// What such a run takes of the computer's memory.
[[nodiscard]] MemoryEstimate operator_memory(const MachineSpec& machine, const OperatorProblem& problem,
                                             std::int64_t pes, bool verify);

}  // namespace kernbench
