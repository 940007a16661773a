// Which GPU events of several ranks are one collective (ADR-0040, 40.20, 40.31, 40.32), and on which clocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/events/rank_clock.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/sweep_points.hpp"

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

/// How it is known which ranks are in a group.
enum class Membership : std::uint8_t {
  kRecorded,  ///< the files say its name, its ranks, or that it has as many as the run
  kByTime,    ///< by its size and the times at which its ranks run it
  kAssumed,   ///< nothing is said: all ranks of the run
  kNotKnown   ///< nothing of it is matched
};

/// A process group at one point, or communication that says no group.
struct CollectiveGroup {
  std::string name;
  std::string ranks;                          ///< "[0, 1, 2, 3]", as the files have it; "" where they do not say
  SweepPoint members;                         ///< traces with events of it
  std::vector<MatchedCollective> matched;     ///< in the order of the first member
  std::vector<LeftOverCollective> left_over;  ///< by member, then by start
  std::int64_t size = 0;                      ///< ranks that it has, seen or not
  std::vector<std::int64_t> missing;          ///< ranks of it that nothing is seen of, where it is known which
  Membership membership = Membership::kRecorded;
  bool by_sequence = false;  ///< matched by Seq, not by position
  bool is_size_said = true;  ///< by its size, its ranks, or for one of all ranks the run's; else there may be more

  /// How many of its ranks nothing is seen of, at least.
  [[nodiscard]] std::int64_t missing_count() const { return size - std::ssize(members); }
  /// Whether nothing is seen of some of them, or one rank is all that says what the group is.
  [[nodiscard]] bool may_lack_ranks() const { return missing_count() > 0 || (!is_size_said && members.size() < 2); }
};

/// The groups of a point, and what sets the clock of each of its ranks beside that of most of them.
struct MatchedPoint {
  std::vector<CollectiveGroup> groups;  ///< in order of name (numbers as numbers), ranks and size
  std::vector<RankClock> clocks;        ///< in the order of the point
};

/// The point's traces have to outlive them. Throws ConfigError where clocks of ranks of one group are more than 53 days
/// apart.
[[nodiscard]] MatchedPoint match_collectives(const SweepPoint& point, const TraceSelection& selection);

}  // namespace kernbench::traces
