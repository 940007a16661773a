// A GEMM over several PEs, each of which runs its part by a mapping; split K is added up round rings (32.16).
#pragma once

#include <string_view>
#include <vector>

#include "sim/plan/best_mappings.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// It needs no name: runs by mappings are asked for by their mapping. One that splits K has a message queue.
[[nodiscard]] const MultiPeGemmKernel& multi_pe_mapped_kernel(const MultiPeMapping& mapping);

struct RankedMultiPeMapping {
  MultiPeMapping mapping;
  MultiPeGemmPlan plan;
  Picoseconds estimate;  ///< what they are ranked by (32.18)
  MappingGroup group;    ///< of the parts' mapping
};
struct MultiPeMappingSearch {
  std::vector<RankedMultiPeMapping> best;  ///< the least estimate first
  /// Of each way to split K and placement the first of each group, the least estimate first.
  std::vector<RankedMultiPeMapping> first_of_groups;
  std::int64_t tried = 0;    ///< mappings of parts
  std::int64_t planned = 0;  ///< over the PEs: each once, whichever of the two has it
};
/// Mappings with what is asked for, of every way to split K between the PEs of `request` and every placement that
/// `place` (as parse_placement) allows. Throws ConfigError where the PEs cannot do it, CapacityError where nothing
/// fits.
[[nodiscard]] MultiPeMappingSearch search_multi_pe_mappings(const MachineSpec& machine, const NetworkPlan& plan,
                                                            const MultiPeGemmRequest& request,
                                                            const MappingRequest& asked, std::string_view place);

}  // namespace kernbench
