// Process groups that have neither name nor ranks, told apart by their size and the times at which ranks run them
// (ADR-0040, 40.32).
#pragma once

#include <cstddef>
#include <vector>

#include "benches/traces/tables/collective_items.hpp"
#include "benches/traces/tables/collective_matching.hpp"

namespace kernbench::traces {

/// How a member's times come onto one clock.
struct MemberClock {
  TracePs offset = 0;
  bool is_known = true;
};

/// The groups of `candidates.size` ranks that its members fall into, and what is left over as the last one. `clocks`
/// are of the members; `has_all_ranks`: there is a file of every rank of the run.
[[nodiscard]] std::vector<CollectiveGroup> groups_by_time(const GroupCandidates& candidates,
                                                          const std::vector<MemberClock>& clocks, bool has_all_ranks);

}  // namespace kernbench::traces
