#include "benches/traces/tables/point_clocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "benches/traces/tables/collective_items.hpp"

namespace kernbench::traces {
namespace {

/// Of collectives of one kind, dtype and size, by position: the end on each member, in the order of GroupEnds::ranks.
using EndRows = std::vector<std::vector<TracePs>>;

/// With which collective of the other rank one of this rank is held.
enum class Partner : std::uint8_t { kMatched, kNext, kPrevious };

/// Of a recorded group: the ends of collectives that are evidence, on the clock of the point's first rank.
struct GroupEnds {
  std::vector<std::size_t> ranks;  ///< places in the point
  std::map<Likeness, EndRows> ends;
  bool by_sequence = false;
  bool has_left_over = false;  ///< of collectives that are evidence

  /// Ends on `here` − those on `there`, both places in `ranks`. One that is alone of its kind is the matched one's.
  void add_differences(std::size_t here, std::size_t there, Partner partner, std::vector<Int128>& differences) const {
    for (const auto& [likeness, rows] : ends) {
      const bool may_be_off = !by_sequence && rows.size() > 1;
      const std::size_t next = may_be_off && partner == Partner::kNext ? 1 : 0;
      const std::size_t previous = may_be_off && partner == Partner::kPrevious ? 1 : 0;
      for (std::size_t i = 0; i + next + previous < rows.size(); ++i) {
        differences.push_back(Int128{rows[i + previous][here]} - rows[i + next][there]);
      }
    }
  }
};

GroupEnds ends_of(const CollectiveGroup& group, const SweepPoint& point) {
  GroupEnds of;
  const auto is_evidence = [](const LeftOverCollective& left) { return ends_together(left.signature.kind); };
  of.by_sequence = group.by_sequence;
  of.has_left_over = std::ranges::any_of(group.left_over, is_evidence);
  std::vector<TracePs> offsets;
  for (const PlacedTrace* member : group.members) {
    of.ranks.push_back(place_in_point(point, member));
    offsets.push_back(clock_offset(member->trace, point.front()->trace));
  }
  for (const MatchedCollective& matched : group.matched) {
    if (!ends_together(matched.signature.kind)) continue;
    const CollectiveSignature& signature = matched.signature;
    const Likeness likeness{signature.kind, signature.dtype, signature.in_elements, signature.out_elements};
    std::vector<TracePs>& ends = of.ends[likeness].emplace_back();
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
        clocks_[other].beside = point_[most]->rank;
        clocks_[other].is_of_most = 2 * agreeing_with(most, joined) > std::ssize(joined);
      }
    }
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) set(rank);
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

  /// What its times are moved by, once it is known beside which rank.
  void set(std::size_t rank) {
    const auto has_base = [this](std::size_t of) { return point_[of]->trace.has_base_time; };
    RankClock& clock = clocks_[rank];
    clock.has_bases = has_base(rank) == has_base(references_[rank]);
    const bool is_alone = clock.matched == 0 && !has_base(rank);
    if (is_alone && std::ranges::any_of(point_, [](const PlacedTrace* of) { return of->trace.has_base_time; })) {
      clock.has_bases = false;
    }
    if (!clock.has_bases && (clock.matched == 0 || clock.doubt != ClockDoubt::kNone)) clock.doubt = ClockDoubt::kNoBase;
    clock.shift_ps = shift_by_ends(clock, clock.has_bases);
  }

  bool measure(std::size_t rank, std::size_t known) {
    std::vector<Int128> differences = differences_of(rank, known, Partner::kMatched);
    if (differences.empty()) return false;
    RankClock& clock = clocks_[rank] = clock_by_ends(std::move(differences));
    if (clock.doubt == ClockDoubt::kNone && clocks_[known].is_unknown()) clock.doubt = clocks_[known].doubt;
    const auto may_be_left_over = [&](const GroupEnds& group) {
      return !group.by_sequence && group.has_left_over && place_in(group, rank) && place_in(group, known);
    };
    if (std::ranges::any_of(groups_, may_be_left_over)) clock.doubt = ClockDoubt::kLeftOver;
    if (clock.differs() && agree_one_off(rank, known)) clock.doubt = ClockDoubt::kOneOff;
    return true;
  }

  [[nodiscard]] std::vector<Int128> differences_of(std::size_t rank, std::size_t known, Partner partner) const {
    std::vector<Int128> differences;
    for (const GroupEnds& group : groups_) {
      const auto here = place_in(group, rank);
      const auto there = place_in(group, known);
      if (here && there) group.add_differences(*here, *there, partner, differences);
    }
    for (Int128& difference : differences) difference += clocks_[known].median_ps;
    return differences;
  }

  /// Whether their files' clocks are one, but for each collective being matched with the one before or behind its own.
  [[nodiscard]] bool agree_one_off(std::size_t rank, std::size_t known) const {
    const auto is_by_position = [&](const GroupEnds& group) {
      return !group.by_sequence && place_in(group, rank) && place_in(group, known);
    };
    if (point_[rank]->trace.has_base_time != point_[known]->trace.has_base_time) return false;
    if (std::ranges::none_of(groups_, is_by_position)) return false;
    return agree(differences_of(rank, known, Partner::kNext)) || agree(differences_of(rank, known, Partner::kPrevious));
  }

  static std::optional<std::size_t> place_in(const GroupEnds& group, std::size_t rank) {
    const auto found = std::ranges::find(group.ranks, rank);
    if (found == group.ranks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - group.ranks.begin());
  }

  /// The rank whose clock most others' are the same as.
  [[nodiscard]] std::size_t agreeing_most(const std::vector<std::size_t>& ranks) const {
    return *std::ranges::max_element(ranks, {}, [&](std::size_t rank) { return agreeing_with(rank, ranks); });
  }

  [[nodiscard]] std::ptrdiff_t agreeing_with(std::size_t rank, const std::vector<std::size_t>& ranks) const {
    return std::ranges::count_if(ranks, [&](std::size_t other) {
      const Int128 difference = clocks_[other].median_ps - clocks_[rank].median_ps;
      return difference <= kOneHost && difference >= -kOneHost;
    });
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
