// The milestone's variant `blocked`: the mapping that is chosen for the shape on the machine (adr/0032-mappings.md,
// 32.11).
#pragma once

#include "benches/harness/bench.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

inline constexpr const char* kBlocked = "blocked";

/// The fastest of the mappings that are simulated, each in a child of its own; `mapping` among its metrics says which.
/// Throws CapacityError where none fits, SimulationError where a simulation fails.
[[nodiscard]] Row simulate_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                   const PointSettings& settings);

/// The least bound of all mappings that are tried.
[[nodiscard]] Row bound_of_blocked(const MachineSpec& machine, const GemmProblem& problem);

}  // namespace kernbench
