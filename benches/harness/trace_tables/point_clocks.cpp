#include "benches/harness/trace_tables/point_clocks.hpp"

#include <algorithm>
#include <optional>

namespace kernbench::traces {
namespace {

/// Of a recorded group: for each collective whose ends are evidence the end on each member, on the clock of the point's
/// first rank.
struct GroupEnds {
  std::vector<std::size_t> ranks;          ///< places in the point
  std::vector<std::vector<TracePs>> ends;  ///< a row a collective, in the order of `ranks`
  bool may_be_one_off = false;             ///< matched by position, and some were left over
};

GroupEnds ends_of(const CollectiveGroup& group, const SweepPoint& point) {
  GroupEnds of;
  const auto is_evidence = [](const LeftOverCollective& left) { return ends_together(left.signature.kind); };
  of.may_be_one_off = !group.by_sequence && std::ranges::any_of(group.left_over, is_evidence);
  std::vector<TracePs> offsets;
  for (const PlacedTrace* member : group.members) {
    of.ranks.push_back(place_in_point(point, member));
    offsets.push_back(clock_offset(member->trace, point.front()->trace));
  }
  for (const MatchedCollective& matched : group.matched) {
    if (!ends_together(matched.signature.kind)) continue;
    std::vector<TracePs>& ends = of.ends.emplace_back();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      ends.push_back(group.members[i]->trace.gpu_events[matched.events[i]].end() + offsets[i]);
    }
  }
  return of;
}

class ClocksByEnds {
 public:
  ClocksByEnds(const SweepPoint& point, const std::vector<std::vector<CollectiveGroup>>& groups)
      : point_(point), clocks_(point.size()), references_(point.size()), is_known_(point.size()) {
    for (const std::vector<CollectiveGroup>& of : groups) {
      for (const CollectiveGroup& group : of) {
        if (group.membership != Membership::kRecorded || group.members.size() < 2) continue;
        GroupEnds ends = ends_of(group, point);
        if (!ends.ends.empty()) groups_.push_back(std::move(ends));
      }
    }
  }

  std::vector<RankClock> measure() {
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
      if (is_known_[rank]) continue;
      const std::vector<std::size_t> joined = measure_from(rank);
      const std::size_t most = agreeing_most(joined);
      for (const std::size_t other : joined) is_known_[other] = false;
      static_cast<void>(measure_from(most));
      for (const std::size_t other : joined) {
        clocks_[most].matched = std::max(clocks_[most].matched, clocks_[other].matched);
      }
    }
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
      const bool has_bases = point_[rank]->trace.has_base_time == point_[references_[rank]]->trace.has_base_time;
      clocks_[rank].shift_ps = shift_by_ends(clocks_[rank], has_bases);
    }
    return clocks_;
  }

 private:
  /// Of all ranks that groups join to this one, itself first; returns them.
  std::vector<std::size_t> measure_from(std::size_t first) {
    clocks_[first] = {};
    references_[first] = first;
    is_known_[first] = true;
    std::vector<std::size_t> known{first};
    for (std::size_t next = 0; next < known.size(); ++next) {
      for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
        if (is_known_[rank] || !measure(rank, known[next])) continue;
        references_[rank] = first;
        is_known_[rank] = true;
        known.push_back(rank);
      }
    }
    return known;
  }

  bool measure(std::size_t rank, std::size_t known) {
    std::vector<Int128> differences;
    bool may_be_one_off = false;
    for (const GroupEnds& group : groups_) {
      const auto here = place_in(group, rank);
      const auto there = place_in(group, known);
      if (!here || !there) continue;
      may_be_one_off = may_be_one_off || group.may_be_one_off;
      for (const auto& ends : group.ends) {
        differences.push_back(Int128{ends[*here]} - ends[*there] + clocks_[known].median_ps);
      }
    }
    if (differences.empty()) return false;
    RankClock& clock = clocks_[rank] = clock_by_ends(std::move(differences));
    clock.is_one_difference = clock.is_one_difference && !may_be_one_off && !clocks_[known].is_unknown();
    return true;
  }

  static std::optional<std::size_t> place_in(const GroupEnds& group, std::size_t rank) {
    const auto found = std::ranges::find(group.ranks, rank);
    if (found == group.ranks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - group.ranks.begin());
  }

  /// The rank whose clock most others' are the same as.
  [[nodiscard]] std::size_t agreeing_most(const std::vector<std::size_t>& ranks) const {
    const auto agreeing = [&](std::size_t rank) {
      return std::ranges::count_if(ranks, [&](std::size_t other) {
        const Int128 difference = clocks_[other].median_ps - clocks_[rank].median_ps;
        return difference <= kOneHost && difference >= -kOneHost;
      });
    };
    return *std::ranges::max_element(ranks, {}, agreeing);
  }

  const SweepPoint& point_;
  std::vector<GroupEnds> groups_;
  std::vector<RankClock> clocks_;
  std::vector<std::size_t> references_;  ///< whose clock each rank's is measured by
  std::vector<bool> is_known_;
};

}  // namespace

std::vector<RankClock> point_clocks(const SweepPoint& point, const std::vector<std::vector<CollectiveGroup>>& groups) {
  return ClocksByEnds(point, groups).measure();
}

}  // namespace kernbench::traces
