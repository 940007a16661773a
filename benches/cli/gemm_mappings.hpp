// Which mapping of a GEMM is best on a machine: the most promising by their bounds are simulated
// (adr/0032-mappings.md).
#pragma once

#include <vector>

#include "benches/cli/sim_gemm.hpp"
#include "sim/plan/mapping_search.hpp"

namespace kernbench {

struct SimulatedMapping {
  RankedMapping ranked;
  Row row;
};

struct MappingChoice {
  std::vector<SimulatedMapping> simulated;  ///< the fastest first
  std::int64_t tried = 0;                   ///< by the closed form
  std::int64_t fit = 0;
  std::int64_t promising = 0;  ///< whose bound is below the fastest's time, and which were not simulated
};

/// Simulates, in the order of their bounds, `simulations` mappings, more where they are small, and then those of the
/// whole problem in one step; always only those whose bounds are below the fastest one's time (32.8). Throws
/// ConfigError, CapacityError where none fits.
[[nodiscard]] MappingChoice choose_mapping(const SimGemmOptions& options, const GemmProblem& problem,
                                           const LoadedMachine& machine, const MappingRequest& request,
                                           std::size_t simulations);
[[nodiscard]] double time_of(const SimulatedMapping& mapping);

}  // namespace kernbench
