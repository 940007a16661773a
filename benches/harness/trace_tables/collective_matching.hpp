// Which GPU events of several ranks are one collective (ADR-0040, 40.20).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/harness/trace_tables/selection.hpp"
#include "benches/harness/trace_tables/sweep_points.hpp"

namespace kernbench::traces {

/// One collective: an event a rank.
struct MatchedCollective {
  CollectiveSignature signature;  ///< of the first rank; its kind is the kernel's name where nothing was recorded
  std::vector<TraceId> events;    ///< into RankTrace::gpu_events, in the order of CollectiveGroup::members
};

/// A communication event that is part of no matched collective.
struct LeftOverCollective {
  const PlacedTrace* placed = nullptr;
  TraceId event = kNoId;
  CollectiveSignature signature;
  std::int64_t sequence = -1;
  std::string reason;
};

/// A process group at one point, or all communication that says no group.
struct CollectiveGroup {
  std::string name;
  std::string ranks;                          ///< "[0, 1, 2, 3]", as the files have it; "" where they do not say
  SweepPoint members;                         ///< traces with events of it
  std::vector<MatchedCollective> matched;     ///< in the order of the first member
  std::vector<LeftOverCollective> left_over;  ///< by member, then by start
};

/// Groups in order of name (numbers as numbers) and ranks. The point's traces have to outlive them.
[[nodiscard]] std::vector<CollectiveGroup> match_collectives(const SweepPoint& point, const TraceSelection& selection);

}  // namespace kernbench::traces
