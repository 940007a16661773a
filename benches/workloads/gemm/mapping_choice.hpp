// Which mapping of a GEMM is best on a machine: the most promising by their closed form are simulated
// (adr/0032-mappings.md).
#pragma once

#include <functional>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/plan/mapping_search.hpp"

namespace kernbench {

inline constexpr std::size_t kMappingsSimulated = 6;  ///< at least, where so many can be the fastest

struct SimulatedMapping {
  RankedMapping ranked;
  Row row;
};

struct MappingChoice {
  std::vector<SimulatedMapping> simulated;  ///< the fastest first
  std::size_t chosen_index = 0;             ///< among them
  std::int64_t tried = 0;                   ///< by the closed form
  std::int64_t over_time = 0;               ///< that passed the limit of simulated time, and were left out
  bool others_promise = false;  ///< whether some were not simulated whose bound may be below the fastest's time
  [[nodiscard]] const SimulatedMapping& chosen() const { return simulated.at(chosen_index); }
};

/// The mappings of which choose_mapping takes those that it simulates. Throws as search_mappings.
[[nodiscard]] MappingSearch mappings_to_simulate(const GemmProblem& problem, const MachineSpec& machine,
                                                 const MappingRequest& request, std::size_t simulations);

/// How a mapping is simulated.
struct MappingSimulation {
  std::function<Row(const GemmMapping&)> simulate;  ///< a good row with time_ns; throws
  bool bytes_cost = false;                          ///< 32.21: so that fewer are worth a little time
};

/// Simulates, in the order of their rank, `simulations` mappings, more where they are small, and then the staging
/// variants, those of the whole problem in one step of `tile`; always only those whose bounds are below the fastest
/// one's time (32.8); and then, where bytes cost,
/// those of the least traffic that may be nearly as fast (32.21). Chosen is the fastest, or one that is nearly as fast
/// and moves fewer bytes, of those as fast as that the one with the least work of the array, then with the least
/// traffic. `tile` is pe.mac.tile, or that which was asked for. Those that pass the limit of simulated time are left
/// out; where all do, throws TimeLimitError as the first. What else a simulation throws is passed on.
[[nodiscard]] MappingChoice choose_mapping(const MappingSearch& search, const TileShape& tile, std::size_t simulations,
                                           const MappingSimulation& simulation);
[[nodiscard]] double time_of(const SimulatedMapping& mapping);

/// Of times that differ by no more none is taken for the longer one (32.8).
inline constexpr double kAsFast = 1.0001;
[[nodiscard]] bool is_as_fast(const SimulatedMapping& one, const SimulatedMapping& fastest);

}  // namespace kernbench
