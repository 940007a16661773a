// The hierarchical reduce_scatter and all_gather: one ring a level.
#pragma once

#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

/// reduce_scatter: rings of the PEs of each die, then of the same PE of a package's dies, then of the same PE and die
/// of the packages; of each level a rank keeps what belongs to ranks at its own place in the levels done. all_gather:
/// the way back.
void add_level_rings(const CollectiveRequest& request, CollectiveSchedule& schedule);

}  // namespace kernbench
