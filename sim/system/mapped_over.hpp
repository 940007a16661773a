// A GEMM over several PEs, each of which runs its part by a mapping; split K is added up round rings (32.16).
#pragma once

#include <string_view>
#include <vector>

#include "sim/plan/mapping_search.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {

/// It needs no name: runs by mappings are asked for by their mapping. One that splits K has a message queue.
[[nodiscard]] const GemmOverKernel& mapped_over_kernel(const OverMapping& mapping);

struct RankedOverMapping {
  OverMapping mapping;
  GemmOverPlan plan;
  Picoseconds estimate;  ///< what they are ranked by (32.18)
};
struct OverMappingSearch {
  std::vector<RankedOverMapping> best;  ///< the least estimate first
  std::int64_t tried = 0;               ///< mappings of parts
};
/// Mappings with what is asked for, of every way to split K between the PEs of `request` and every placement that
/// `place` (as parse_placement) allows. Throws ConfigError where the PEs cannot do it, CapacityError where nothing
/// fits.
[[nodiscard]] OverMappingSearch search_over_mappings(const MachineSpec& machine, const NetworkPlan& plan,
                                                     const GemmOverRequest& request, const MappingRequest& asked,
                                                     std::string_view place);

}  // namespace kernbench
