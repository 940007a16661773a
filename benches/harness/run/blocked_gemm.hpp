// A point of a bench that is a GEMM by a mapping, named or chosen (adr/0032-mappings.md, 32.11).
#pragma once

#include "benches/harness/bench.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// A run of one mapping on the machine; `mapping` among its metrics says which. In the process that calls it. Throws
/// ConfigError where it is none of the problem's, CapacityError where it does not fit.
[[nodiscard]] Row simulate_mapping(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                                   const PointSettings& settings);

/// The fastest of the mappings with what is asked for that are simulated, one after the other in the process that calls
/// it (1.19), which can simulate more; `mapping` among its metrics says which. Throws CapacityError where none fits,
/// SimulationError where a simulation fails.
[[nodiscard]] Row simulate_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                   const PointSettings& settings, const MappingRequest& asked = {});

/// The least bound of all mappings that are tried.
[[nodiscard]] Row bound_of_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                   const MappingRequest& asked = {});

}  // namespace kernbench
