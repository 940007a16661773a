// How much memory a simulation will take, from what is asked for alone (adr/0010, 10.13).
#pragma once

#include "sim/plan/collective/rails.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/math_plan.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// A whole machine (System), its network's plan with it; probes take no more.
[[nodiscard]] MemoryEstimate system_memory(const MachineSpec& machine);

/// A collective on a machine, of so many rails, its schedules with it; `verify`: values are carried. Throws ConfigError
/// as the algorithm's check().
[[nodiscard]] MemoryEstimate collective_memory(const MachineSpec& machine, const CollectiveAlgorithm& algorithm,
                                               const CollectiveRequest& request, std::int32_t rails, bool verify);

/// A kernel on one PE. Throws ConfigError for matrices that cannot be placed.
[[nodiscard]] MemoryEstimate gemm_memory(const MachineSpec& machine, const GemmProblem& problem, bool verify);
/// By a mapping; `machine` has its tile.
[[nodiscard]] MemoryEstimate gemm_memory(const MachineSpec& machine, const MappedGemm& mapped, bool verify);
/// The ledgers (adr/0033) of so many PEs between which a problem is divided.
[[nodiscard]] MemoryEstimate ledger_memory(const MachineSpec& machine, const GemmProblem& problem, std::int64_t pes);
/// A GEMM over so many PEs of a whole machine, their ledgers with it, or that of one where they run one after the other
/// (`apart`); `bytes_of_pe`: of the partition that has most of it.
[[nodiscard]] MemoryEstimate multi_pe_gemm_memory(const MachineSpec& machine, const GemmProblem& problem,
                                                  std::int64_t ranks, Bytes bytes_of_pe, bool verify,
                                                  bool apart = false);
[[nodiscard]] MemoryEstimate math_memory(const MachineSpec& machine, const MathProblem& problem, bool verify);

}  // namespace kernbench
