// The clocks of a point's ranks, by the ends of the collectives that they have in common (ADR-0040, 40.31).
#pragma once

#include <vector>

#include "benches/traces/tables/collective_matching.hpp"

namespace kernbench::traces {

/// In the order of the point: how each rank's clock differs from the one that most ranks agree with, of several the
/// first; a rank that has no group in common with it is measured through others. Groups whose members are recorded
/// alone count. A rank that no group joins to others has no collectives, one that others are measured by as many
/// as they.
[[nodiscard]] std::vector<RankClock> point_clocks(const SweepPoint& point,
                                                  const std::vector<std::vector<CollectiveGroup>>& groups);

}  // namespace kernbench::traces
