// A GEMM and a collective at the same time, on the same PEs or GPUs (adr/0030, adr/0050).
#pragma once

#include "benches/workloads/collective/asked.hpp"
#include "benches/workloads/gemm/asked.hpp"
#include "benches/workloads/workload.hpp"

namespace kernbench {

struct ConcurrentAsked {
  GemmAsked gemm;
  CollectiveAsked collective;
};

[[nodiscard]] WorkloadAnswers concurrent_on_pes(const Axes<ConcurrentAsked>& axes);
[[nodiscard]] WorkloadAnswers concurrent_on_gpus(const Axes<ConcurrentAsked>& axes);

}  // namespace kernbench
