// Communication events of a point's ranks, sorted into process groups as far as the files say them (ADR-0040, 40.20).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/sweep_points.hpp"

namespace kernbench::traces {

/// What the events of one collective have in common: kind, dtype, elements in and out.
using Likeness = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

struct CollectiveItem {
  TraceId event = kNoId;
  CollectiveSignature signature;
  std::int64_t sequence = -1;
  std::size_t likeness = 0;  ///< equal where the events may be of one collective
};

/// A rank's events of a group, by start.
struct GroupMember {
  const PlacedTrace* placed = nullptr;
  std::vector<CollectiveItem> items;
};

/// What the files say is one process group, before it is matched.
struct GroupCandidates {
  std::string name;
  std::string ranks;      ///< "[0, 1, 2, 3]", as the files have it; "" where they do not say
  std::int64_t size = 0;  ///< `Group size`, else as many as `ranks` has; 0: not said
  std::vector<GroupMember> members;
  std::map<Likeness, std::size_t> likenesses;
};

/// In order of name (numbers as numbers), ranks and size.
[[nodiscard]] std::vector<GroupCandidates> group_candidates(const SweepPoint& point, const TraceSelection& selection);

/// How many ranks the run has: what the files say, the highest rank that there is a file of, or the files.
[[nodiscard]] std::int64_t run_size(const SweepPoint& point);

/// "[0, 2]" as numbers; none where it is cut short ("[0, 1, ...").
[[nodiscard]] std::vector<std::int64_t> listed_ranks(const std::string& text);

/// Whether all events have their number in the group.
[[nodiscard]] bool has_sequences(const GroupCandidates& group);

}  // namespace kernbench::traces
