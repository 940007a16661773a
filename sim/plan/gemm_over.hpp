// A GEMM over several PEs: where its matrices lie, and a bound on how fast it can be (adr/0030).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/placed_matrix.hpp"

namespace kernbench {

/// Policies of A, B and C.
struct GemmPlacement {
  PlacementPolicy a = PlacementPolicy::kRows;
  PlacementPolicy b = PlacementPolicy::kReplicate;
  PlacementPolicy c = PlacementPolicy::kRows;
  bool operator==(const GemmPlacement&) const = default;
};
/// From a text like "a=rows,b=replicate,c=rows"; what it leaves out is as in `otherwise`. Throws ConfigError that names
/// --place.
[[nodiscard]] GemmPlacement parse_placement(std::string_view text, const GemmPlacement& otherwise);
[[nodiscard]] std::string to_text(const GemmPlacement& placement);

/// The matrices in the partitions of PEs 0, 1, 2, ... of the run.
struct PlacedGemm {
  GemmProblem problem;
  PlacedMatrix a;
  PlacedMatrix b;
  PlacedMatrix c;
  /// Where each PE has a product of all of C's shape, of which its part of C is a piece; empty where it has none.
  std::vector<MatrixLayout> partial;
  Bytes bytes_of_pe = 0;  ///< of the partition of the PE that has most
};

/// `memories`: as whom others reach the partition of each PE. With `partial` every PE has room for a product as large
/// as C. Throws ConfigError for wrong dimensions, CapacityError where a part does not fit its partition.
[[nodiscard]] PlacedGemm place_gemm_over(const GemmProblem& problem, const GemmPlacement& placement, bool partial,
                                         const MachineSpec& machine, const std::vector<MemoryNode>& memories);

/// What the PEs of a run have to do at least.
struct PeWork {
  std::int64_t tiles = 0;  ///< that the array multiplies
  Bytes read = 0;          ///< from memories into TCM
  Bytes given = 0;         ///< of its partition, to whomever
  Bytes sent = 0;
  Bytes received = 0;  ///< in messages
};

struct GemmOverBound {
  Picoseconds time;
  std::string resource;  ///< mac, dma_in, hbm, vector, ...: whose work takes so long
};
/// The largest work of a unit over all PEs, at its full rate: no run is faster.
[[nodiscard]] GemmOverBound gemm_over_bound(const std::vector<PeWork>& pes, const MachineSpec& machine);

/// Adds what PE `pe` reads when it multiplies rows `rows` of A with columns `columns` of B (in tiles), operands
/// streamed.
void add_streams(const PlacedGemm& gemm, int pe, Interval rows, Interval columns, std::vector<PeWork>& work);

}  // namespace kernbench
