#include "benches/traces/tables/groups_by_time.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "benches/traces/events/rank_clock.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

/// Of one member, its items of one kind, dtype and size, by start.
using AlikeItems = std::vector<const CollectiveItem*>;
/// Members, by their places in the candidates.
using Places = std::vector<std::size_t>;

std::string ranks_by_time(const SweepPoint& members) {
  std::vector<std::string> ranks;
  for (const PlacedTrace* member : members) ranks.push_back(std::to_string(member->rank));
  return "[" + joined(ranks) + "] by time";
}

class GroupsByTime {
 public:
  GroupsByTime(const GroupCandidates& candidates, const std::vector<MemberClock>& clocks, bool has_all_ranks)
      : candidates_(candidates),
        clocks_(clocks),
        has_all_ranks_(has_all_ranks),
        by_sequence_(has_sequences(candidates)) {}

  std::vector<CollectiveGroup> split() {
    for (std::vector<AlikeItems>& alike : items_by_likeness()) split(std::move(alike));
    std::vector<CollectiveGroup> groups;
    for (auto& [places, group] : groups_) {
      const PlacedTrace* first = group.members.front();
      std::ranges::stable_sort(group.matched, {}, [first](const MatchedCollective& matched) {
        return first->trace.gpu_events[matched.events.front()].start;
      });
      groups.push_back(std::move(group));
    }
    if (!left_over_.left_over.empty()) groups.push_back(left_over());
    return groups;
  }

 private:
  /// By kind, dtype and size, then by member.
  [[nodiscard]] std::vector<std::vector<AlikeItems>> items_by_likeness() const {
    const std::size_t members = candidates_.members.size();
    std::vector<std::vector<AlikeItems>> all(candidates_.likenesses.size(), std::vector<AlikeItems>(members));
    for (std::size_t member = 0; member < members; ++member) {
      for (const CollectiveItem& item : candidates_.members[member].items) all[item.likeness][member].push_back(&item);
    }
    return all;
  }

  void split(std::vector<AlikeItems> alike) {
    alike_ = std::move(alike);
    Places members;
    for (std::size_t member = 0; member < alike_.size(); ++member) {
      if (!alike_[member].empty()) members.push_back(member);
    }
    const std::string& kind = alike_[members.front()].front()->signature.kind;
    if (!has_all_ranks_) return leave(members, "its group has no name, and not all ranks of the run are there");
    // No other rank has such: these are the group, whatever their clocks.
    if (std::ssize(members) == candidates_.size && have_as_many(members)) return match(members);
    if (!ends_together(kind)) {
      return leave(members, "its group has no name, and ranks of this kind need not run it at one time");
    }
    for (const Places& together : together_of(members)) take(together);
  }

  /// Members that may be of one group, directly or through others.
  [[nodiscard]] std::vector<Places> together_of(const Places& members) const {
    std::vector<Places> all;
    for (const std::size_t member : members) {
      Places own{member};
      std::vector<Places> others;
      for (Places& places : all) {
        const bool joins =
            std::ranges::any_of(places, [&](std::size_t other) { return may_be_together(member, other); });
        if (joins) {
          own.insert(own.end(), places.begin(), places.end());
        } else {
          others.push_back(std::move(places));
        }
      }
      std::ranges::sort(own);
      others.push_back(std::move(own));
      all = std::move(others);
    }
    return all;
  }

  /// Each of their collectives may have been run at one time: what lies between is no more than clocks may differ by.
  [[nodiscard]] bool may_be_together(std::size_t one, std::size_t other) const {
    const AlikeItems& a = alike_[one];
    const AlikeItems& b = alike_[other];
    if (a.size() != b.size()) return false;
    const bool knows_clocks = clocks_[one].is_known && clocks_[other].is_known;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (by_sequence_ && a[i]->sequence != b[i]->sequence) return false;
      const Int128 between =
          std::max(start_of(one, *a[i]), start_of(other, *b[i])) - std::min(end_of(one, *a[i]), end_of(other, *b[i]));
      if (knows_clocks && between > kOneHost) return false;
    }
    return true;
  }

  void take(const Places& together) {
    const std::string size = std::to_string(candidates_.size);
    if (std::ssize(together) > candidates_.size) {
      return leave(together, "its group has no name, and " + std::to_string(together.size()) +
                                 " ranks run such at one time: which " + size + " are together is not recorded");
    }
    const bool is_whole =
        std::ssize(together) == candidates_.size && std::ranges::all_of(together, [&](std::size_t one) {
          return std::ranges::all_of(together,
                                     [&](std::size_t other) { return one == other || may_be_together(one, other); });
        });
    if (!is_whole) return leave(together, "its group has no name, and no " + size + " ranks run it at one time");
    match(together);
  }

  [[nodiscard]] bool have_as_many(const Places& members) const {
    return std::ranges::all_of(
        members, [&](std::size_t member) { return alike_[member].size() == alike_[members.front()].size(); });
  }

  void match(const Places& together) {
    CollectiveGroup& group = groups_[together];
    if (group.members.empty()) start(group, together);
    for (std::size_t i = 0; i < alike_[together.front()].size(); ++i) {
      MatchedCollective matched{alike_[together.front()][i]->signature, {}};
      for (const std::size_t member : together) matched.events.push_back(alike_[member][i]->event);
      group.matched.push_back(std::move(matched));
    }
  }

  void start(CollectiveGroup& group, const Places& members) const {
    for (const std::size_t member : members) group.members.push_back(candidates_.members[member].placed);
    group.name = candidates_.name;
    group.ranks = ranks_by_time(group.members);
    group.size = candidates_.size;
    group.membership = Membership::kByTime;
    group.by_sequence = by_sequence_;
  }

  void leave(const Places& members, const std::string& reason) {
    for (const std::size_t member : members) {
      const PlacedTrace* placed = candidates_.members[member].placed;
      for (const CollectiveItem* item : alike_[member]) {
        left_over_.left_over.push_back({placed, item->event, item->signature, item->sequence, reason});
      }
    }
  }

  CollectiveGroup left_over() {
    CollectiveGroup group = std::move(left_over_);
    group.name = candidates_.name;
    for (const GroupMember& member : candidates_.members) group.members.push_back(member.placed);
    group.size = candidates_.size;
    group.membership = Membership::kNotKnown;
    std::ranges::stable_sort(group.left_over, {}, [](const LeftOverCollective& left) {
      return std::pair(left.placed->rank, left.placed->trace.gpu_events[left.event].start);
    });
    return group;
  }

  [[nodiscard]] TracePs start_of(std::size_t member, const CollectiveItem& item) const {
    return candidates_.members[member].placed->trace.gpu_events[item.event].start + clocks_[member].offset;
  }
  [[nodiscard]] TracePs end_of(std::size_t member, const CollectiveItem& item) const {
    return candidates_.members[member].placed->trace.gpu_events[item.event].end() + clocks_[member].offset;
  }

  const GroupCandidates& candidates_;
  const std::vector<MemberClock>& clocks_;
  bool has_all_ranks_;
  bool by_sequence_;
  std::vector<AlikeItems> alike_;  ///< of the kind, dtype and size that is split now, by member
  std::map<Places, CollectiveGroup> groups_;
  CollectiveGroup left_over_;
};

}  // namespace

std::vector<CollectiveGroup> groups_by_time(const GroupCandidates& candidates, const std::vector<MemberClock>& clocks,
                                            bool has_all_ranks) {
  return GroupsByTime(candidates, clocks, has_all_ranks).split();
}

}  // namespace kernbench::traces
