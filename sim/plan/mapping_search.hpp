// Mappings that fit a machine, the most promising first by their closed form (adr/0032-mappings.md).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

struct RankedMapping {
  GemmMapping mapping{};
  Picoseconds bound{};
  Picoseconds estimate{};  ///< the bound, and latencies and calls that it leaves out: what mappings are ranked by
  Picoseconds array{};     ///< for which the array is occupied by all products
  Bytes traffic = 0;       ///< between HBM and the PE, both ways
  Bytes tcm = 0;
  std::int64_t steps = 0;
  std::int64_t tiles = 0;
  std::int64_t place = 0;  ///< in the order in which mappings are tried
  bool cuts_k = false;     ///< sums are kept between steps
};

struct MappingSearch {
  /// The least estimate first; of equal ones the least time of the array, then the least traffic, the fewest steps, the
  /// least TCM, the first tried. As many as are asked for, the first of each group, those of one step of the machine's
  /// tile, and, where bytes cost, those that move least of all that may be nearly as fast (32.21).
  std::vector<RankedMapping> best;
  std::int64_t tried = 0;
  Picoseconds least_left{std::numeric_limits<std::int64_t>::max()};  ///< no bound of any other is below that
};

inline constexpr std::size_t kEveryMapping = std::numeric_limits<std::size_t>::max();

/// Of mappings with what is asked for, of pe.mac.tile, and of the few other tiles that look best, every one in which
/// blocks are a dimension cut into equal parts (32.8), with sums in HBM where that is asked for or none fits otherwise:
/// the first `count`. Throws ConfigError, or CapacityError where none fits, which names the largest block that does in
/// place of one that was asked for.
[[nodiscard]] MappingSearch search_mappings(const GemmProblem& problem, const MachineSpec& machine,
                                            const MappingRequest& request, std::size_t count = kEveryMapping);

/// Of the same mappings that of the least bound, of equal ones the first by their rank. Throws as search_mappings.
[[nodiscard]] RankedMapping least_bound_mapping(const GemmProblem& problem, const MachineSpec& machine,
                                                const MappingRequest& request);

/// Whether the machine file says what a byte to or from HBM takes.
[[nodiscard]] bool bytes_cost(const MachineSpec& machine);
/// Of a mapping that takes so much longer than the fastest: it is nearly as fast (32.21).
inline constexpr double kNearlyAsFast = 1.01;

/// Bytes that any order of the multiplications moves between HBM and a memory of `tcm` bytes, at least: 2 m n k /
/// sqrt(S)
/// - 2 S elements, S the elements that the memory holds (Kwasniewski et al., SC 2019; 32.9), and each matrix once.
[[nodiscard]] double least_traffic(const GemmProblem& problem, Bytes tcm);

}  // namespace kernbench
