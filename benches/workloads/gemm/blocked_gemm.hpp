// A point of a bench that is a GEMM by a mapping, named or chosen (adr/0032-mappings.md, 32.11).
#pragma once

#include <cstddef>
#include <functional>

#include "benches/workloads/bench.hpp"
#include "benches/workloads/gemm/mapping_choice.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// Shapes go by the machine's tile in all variants, whatever tile a mapping has.
void flag_under_tile(Row& row, const GemmProblem& problem, const MachineSpec& machine);

/// Of the mappings with what is asked for so many, or more where they are small, one after the other in the process
/// that calls it (1.19), which can simulate more. Throws CapacityError where none fits, SimulationError where a
/// simulation fails, TimeLimitError where all pass it.
[[nodiscard]] MappingChoice choose_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                           const MappingRequest& asked, std::size_t simulations,
                                           const std::function<Row(const GemmMapping&)>& simulate);

/// A run of one mapping on the machine; `mapping` among its metrics says which. Throws ConfigError where it is none of
/// the problem's, CapacityError where it does not fit.
[[nodiscard]] Row simulate_mapping(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                                   const PointSettings& settings);

/// A run of the one that is chosen; `mapping` among its metrics says which. Throws as choose_blocked.
[[nodiscard]] Row simulate_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                   const PointSettings& settings, const MappingRequest& asked = {});

/// The least bound of all mappings that are tried.
[[nodiscard]] Row bound_of_blocked(const MachineSpec& machine, const GemmProblem& problem,
                                   const MappingRequest& asked = {});

}  // namespace kernbench
