// Which mapping of a GEMM is best on a machine: the most promising by their closed form are simulated
// (adr/0032-mappings.md).
#pragma once

#include <functional>
#include <vector>

#include "benches/harness/results/results.hpp"
#include "sim/plan/mapping_search.hpp"

namespace kernbench {

inline constexpr std::size_t kMappingsSimulated = 6;  ///< at least, where so many can be the fastest

struct SimulatedMapping {
  RankedMapping ranked;
  Row row;
};

struct MappingChoice {
  std::vector<SimulatedMapping> simulated;  ///< the fastest first
  std::size_t chosen_index = 0;             ///< among them: the fastest, or one nearly as fast that moves fewer bytes
  std::int64_t tried = 0;                   ///< by the closed form
  std::int64_t fit = 0;
  std::int64_t over_time = 0;  ///< that passed the limit of simulated time, and were left out
  std::int64_t promising = 0;  ///< whose bound is below the fastest's time, and which were not simulated
  [[nodiscard]] const SimulatedMapping& chosen() const { return simulated.at(chosen_index); }
};

/// Whether the machine file says what a byte to or from HBM takes.
[[nodiscard]] bool bytes_cost(const MachineSpec& machine);

/// How a mapping is simulated, and who is told how far it is.
struct MappingSimulation {
  std::function<Row(const GemmMapping&)> simulate;         ///< a good row with time_ns; throws
  std::function<void(std::size_t, double)> on_begin = {};  ///< so many may be simulated, of that cost together
  std::function<void(double)> on_done = {};                ///< one of that cost has been, or need not be
  bool bytes_cost = false;                                 ///< 32.21: so that fewer are worth a little time
};

/// Simulates, in the order of their rank, `simulations` mappings, more where they are small, and then the staging
/// variants, those of the whole problem in one step of `tile`; always only those whose bounds are below the fastest
/// one's time (32.8); and then, where bytes cost,
/// those of the least traffic that may be nearly as fast (32.21). `tile` is pe.mac.tile, or
/// that which was asked for. Those that pass the limit of simulated time are left out; where all do, throws
/// TimeLimitError as the first. What else a simulation throws is passed on.
[[nodiscard]] MappingChoice choose_mapping(const MappingSearch& search, const TileShape& tile, std::size_t simulations,
                                           const MappingSimulation& simulation);
[[nodiscard]] double time_of(const SimulatedMapping& mapping);

}  // namespace kernbench
