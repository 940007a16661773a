// Ways over several PEs to choose among: placements, grids, blocks and buffers of kernels (30.15), and mappings
// (32.18).
#pragma once

#include <string_view>
#include <vector>

#include "sim/plan/best_mappings.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// For those placements, and grids, that the kernel chooses among and can do, with what `place` says (as
/// parse_placement) put in its place; first the one with the least bound, of equal ones as 30.15 has it. Throws as
/// plan_multi_pe_gemm where it can do none of them, for the first.
[[nodiscard]] std::vector<MultiPeGemmPlan> rank_placements(const MachineSpec& machine, const NetworkPlan& plan,
                                                           MultiPeGemmRequest request, std::string_view place);
/// The first of them.
[[nodiscard]] inline MultiPeGemmPlan choose_placement(const MachineSpec& machine, const NetworkPlan& plan,
                                                      const MultiPeGemmRequest& request, std::string_view place) {
  return rank_placements(machine, plan, request, place).front();
}
/// `planned` with other blocks and buffers: those whose blocks are estimated, with their best buffers, to be within a
/// twentieth of the least; none of a kernel that estimates nothing.
[[nodiscard]] std::vector<MultiPeGemmPlan> other_cuts(const MachineSpec& machine, const NetworkPlan& plan,
                                                      MultiPeGemmRequest request, const MultiPeGemmPlan& planned);

/// As the largest part has it, which its tile may cut smaller than its block.
[[nodiscard]] MultiPeMapping of_largest_part(const MachineSpec& machine, MultiPeGemmRequest request,
                                             const MultiPeMapping& mapping);

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
