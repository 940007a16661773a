// Mappings that fit a machine, the most promising first by their closed form (adr/0032-mappings.md).
#pragma once

#include <vector>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

struct RankedMapping {
  GemmMapping mapping;
  Picoseconds bound;
  Picoseconds estimate;  ///< the bound, and latencies and calls that it leaves out: what mappings are ranked by
  std::string limit;     ///< the bound's resource
  Bytes traffic = 0;     ///< between HBM and the PE, both ways
  Bytes tcm = 0;
  std::int64_t steps = 0;
  std::int64_t tiles = 0;
};

struct MappingSearch {
  std::vector<RankedMapping>
      best;  ///< the least estimate first; of equal ones the least traffic, then the fewest steps
  std::int64_t tried = 0;
  std::int64_t fit = 0;  ///< in the TCM
};

/// Tries mappings with what is asked for: of pe.mac.tile, and of the few other tiles that look best, every one in which
/// blocks are a dimension cut into equal parts (32.8), with sums in HBM where that is asked for or none fits otherwise.
/// Throws ConfigError, or CapacityError where none fits, which
/// names the largest block that does in place of one that was asked for.
[[nodiscard]] MappingSearch search_mappings(const GemmProblem& problem, const MachineSpec& machine,
                                            const MappingRequest& request);

/// At least as many as search_mappings keeps with what is asked for: what its memory goes by.
[[nodiscard]] std::int64_t most_mappings(const GemmProblem& problem, const MachineSpec& machine,
                                         const MappingRequest& request);

/// Bytes that any order of the multiplications moves between HBM and a memory of `tcm` bytes, at least: 2 m n k /
/// sqrt(S)
/// - 2 S elements, S the elements that the memory holds (Kwasniewski et al., SC 2019; 32.9), and each matrix once.
[[nodiscard]] double least_traffic(const GemmProblem& problem, Bytes tcm);

}  // namespace kernbench
