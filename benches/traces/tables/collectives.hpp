// Collectives over the ranks of a run: how long they take, who waits for whom, what kept the last, and who is a
// straggler (ADR-0040, 40.20 to 40.23, 40.31 to 40.33).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benches/traces/tables/alone_times.hpp"
#include "benches/traces/tables/collective_matching.hpp"

namespace kernbench::traces {

/// What the last rank did before it came.
struct LastRankKept {
  TraceId event = kNoId;  ///< into RankTrace::gpu_events: what ended last before; none: nothing did
  TracePs idle = 0;       ///< how long its GPU was idle then; 0: it was not, or for less than 2 µs
};

/// A matched collective; what is by rank is in the order of CollectiveGroup::members.
struct CollectiveTimes {
  std::vector<TracePs> durations;
  std::vector<TracePs> ends;   ///< as the files' clocks have them, relative to the first member's
  std::vector<TracePs> waits;  ///< latest start - own start
  TracePs latency = 0;         ///< the shortest duration: from when all are there
  TracePs start_skew = 0;      ///< latest - earliest
  TracePs end_skew = 0;
  std::size_t last = 0;   ///< the member that starts last, of equals the first
  std::size_t first = 0;  ///< the member that starts first
  LastRankKept kept;

  /// Of the time of all ranks in it, 0 to 1.
  [[nodiscard]] double waiting_share() const;
};

/// What is known of who waits for whom.
enum class WaitsKnown : std::uint8_t {
  kAll,
  kAtLeast,  ///< ranks are missing, for which those that are there may have waited longer
  kNothing   ///< a rank's clock differs from the others', and it is not known by what
};

/// A matched group with its times, in the order of `matched`.
struct TimedGroup {
  CollectiveGroup group;
  std::vector<CollectiveTimes> times;  ///< on clocks that are set by `clocks`
  std::vector<RankClock> clocks;       ///< of the members, beside the rank that most of the point's agree with

  /// Collectives of which a rank's kernel is over before the last one begins.
  [[nodiscard]] std::int64_t never_met() const;
  [[nodiscard]] WaitsKnown waits() const;
};

enum class Straggler : std::uint8_t { kNo, kYes, kNotKnown };

/// What of a group's collectives one rank is responsible for.
struct RankWaits {
  std::size_t times_last = 0;
  std::size_t times_first = 0;
  TracePs wait = 0;
  TracePs collective = 0;            ///< time in collectives
  double others_wait = 0;            ///< ps: where it is last, the mean wait of each other rank
  std::vector<TracePs> end_offsets;  ///< own end - the first member's, as the files' clocks have them
  Straggler straggler = Straggler::kNo;
  std::string kept_by;  ///< what kept it most often: a kernel's name, "idle"; "" where it is never last
};

/// Of every point. The traces have to outlive them. Throws ConfigError where clocks of a point's ranks are more than 53
/// days apart.
[[nodiscard]] std::vector<TimedGroup> timed_groups(const std::vector<PlacedTrace>& traces,
                                                   const TraceSelection& selection);

/// By member. A straggler is last in at least half of the group's collectives, and each other rank waits for it more
/// than 5 % of their mean latency then; where a clock was set by ends, and that wait is no longer than ends on one host
/// differ by, it is not known. With ranks missing, or a clock that is not known, nobody's is.
[[nodiscard]] std::vector<RankWaits> rank_waits(const TimedGroup& group);

/// A kernel's name, "idle", or "" where nothing ran before.
[[nodiscard]] std::string kept_by(const TimedGroup& group, const CollectiveTimes& times);

/// Names a device ("NVIDIA H200"), gives its times.
using AloneTimesOf = std::function<const AloneTimes&(const std::string&)>;

/// A row a matched collective. `groups` are of `traces`, as for the tables below.
[[nodiscard]] TraceTable collectives_table(const std::vector<PlacedTrace>& traces,
                                           const std::vector<TimedGroup>& groups, const AloneTimesOf& alone_times);
/// A row a point, group and rank.
[[nodiscard]] TraceTable stragglers_table(const std::vector<PlacedTrace>& traces,
                                          const std::vector<TimedGroup>& groups);
/// A row a communication event that is part of no matched collective.
[[nodiscard]] TraceTable left_over_table(const std::vector<PlacedTrace>& traces, const std::vector<TimedGroup>& groups);

}  // namespace kernbench::traces
