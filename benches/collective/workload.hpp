// Collectives as a workload: on the PEs of a machine, where they are simulated, and of NCCL on GPUs
// (docs/collectives.md).
#pragma once

#include "benches/workloads/collective/asked.hpp"
#include "benches/workloads/workload.hpp"

namespace kernbench {

[[nodiscard]] WorkloadAnswers collectives_on_pes(const Axes<CollectiveAsked>& axes);
[[nodiscard]] WorkloadAnswers collectives_on_gpus(const Axes<CollectiveAsked>& axes);

}  // namespace kernbench
