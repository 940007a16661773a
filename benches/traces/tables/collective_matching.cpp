#include "benches/traces/tables/collective_matching.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "benches/traces/tables/collective_items.hpp"
#include "benches/traces/tables/collective_kinds.hpp"
#include "benches/traces/tables/group_ranks.hpp"
#include "benches/traces/tables/groups_by_time.hpp"
#include "benches/traces/tables/point_clocks.hpp"
#include "benches/traces/tables/sequence_alignment.hpp"

namespace kernbench::traces {
namespace {

/// For each item of the first member, the place of its partner in `items`; none: it has none there.
using Partners = std::vector<std::optional<std::size_t>>;

/// Those of one number are told apart by how many of it came before.
Partners partners_by_sequence(const std::vector<CollectiveItem>& first, const std::vector<CollectiveItem>& items) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  std::map<std::int64_t, std::int64_t> seen;
  for (std::size_t i = 0; i < items.size(); ++i) places[{items[i].sequence, seen[items[i].sequence]++}] = i;
  seen.clear();
  Partners partners;
  for (const CollectiveItem& item : first) {
    const auto found = places.find({item.sequence, seen[item.sequence]++});
    const bool is_like = found != places.end() && items[found->second].likeness == item.likeness;
    partners.push_back(is_like ? std::optional(found->second) : std::nullopt);
  }
  return partners;
}

Partners partners_by_position(const std::vector<CollectiveItem>& first, const std::vector<CollectiveItem>& items) {
  const auto likenesses = [](const std::vector<CollectiveItem>& of) {
    std::vector<std::size_t> all;
    for (const CollectiveItem& item : of) all.push_back(item.likeness);
    return all;
  };
  Partners partners(first.size());
  for (const auto& [place, partner] : aligned(likenesses(first), likenesses(items))) partners[place] = partner;
  return partners;
}

/// A send's or receive's peer is known where the group has two ranks.
bool has_known_peer(const CollectiveItem& item) {
  return !is_point_to_point(item.signature.kind) || item.signature.group_size == 2;
}

std::string reason_for(const GroupCandidates& group, const CollectiveItem& item) {
  if (!has_known_peer(item)) return "its peer is not recorded";
  for (const GroupMember& member : group.members) {
    const auto same = [&item](const CollectiveItem& other) { return other.likeness == item.likeness; };
    if (std::ranges::none_of(member.items, same)) {
      return "rank " + std::to_string(member.placed->rank) + " has none of this kind, dtype and size";
    }
  }
  return "other ranks have none in its place";
}

/// Takes the matched items, a row a collective, a place a member.
std::vector<std::vector<std::size_t>> matched_places(const GroupCandidates& group, bool by_sequence) {
  const std::vector<CollectiveItem>& first = group.members.front().items;
  std::vector<Partners> partners;
  for (const GroupMember& member : group.members) {
    partners.push_back(by_sequence ? partners_by_sequence(first, member.items)
                                   : partners_by_position(first, member.items));
  }
  std::vector<std::vector<std::size_t>> matched;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!has_known_peer(first[i])) continue;
    std::vector<std::size_t> places;
    for (const Partners& of_member : partners) {
      if (of_member[i]) places.push_back(*of_member[i]);
    }
    if (places.size() == partners.size()) matched.push_back(std::move(places));
  }
  return matched;
}

CollectiveGroup matched_group(const GroupCandidates& candidates, Membership membership) {
  CollectiveGroup group;
  group.name = candidates.name;
  group.ranks = candidates.ranks;
  group.membership = membership;
  group.by_sequence = has_sequences(candidates);
  std::vector<std::vector<bool>> is_matched;
  for (const GroupMember& member : candidates.members) {
    group.members.push_back(member.placed);
    is_matched.emplace_back(member.items.size(), false);
  }
  for (const std::vector<std::size_t>& places : matched_places(candidates, group.by_sequence)) {
    MatchedCollective matched{candidates.members.front().items[places.front()].signature, {}};
    for (std::size_t member = 0; member < places.size(); ++member) {
      matched.events.push_back(candidates.members[member].items[places[member]].event);
      is_matched[member][places[member]] = true;
    }
    group.matched.push_back(std::move(matched));
  }
  for (std::size_t member = 0; member < is_matched.size(); ++member) {
    const GroupMember& of = candidates.members[member];
    for (std::size_t i = 0; i < of.items.size(); ++i) {
      if (is_matched[member][i]) continue;
      const CollectiveItem& item = of.items[i];
      group.left_over.push_back({of.placed, item.event, item.signature, item.sequence, reason_for(candidates, item)});
    }
  }
  return group;
}

/// What the files say of who is in a group, held against the ranks that have it.
Membership membership_of(const GroupCandidates& group, std::int64_t run) {
  const std::int64_t members = std::ssize(group.members);
  if (members == 1) return Membership::kRecorded;
  if (group.size > 0 && members > group.size) return Membership::kNotKnown;
  const bool is_named = !group.name.empty() || !group.ranks.empty();
  if (is_named || group.size >= run || run <= 2) return Membership::kRecorded;
  return group.size == 0 ? Membership::kAssumed : Membership::kNotKnown;
}

/// All ranks of a group, where the files list them.
std::vector<std::int64_t> ranks_of_group(const CollectiveGroup& group) {
  std::vector<std::int64_t> ranks = listed_ranks(group.ranks);
  if (!ranks.empty() || group.name.empty()) return ranks;
  for (const PlacedTrace* member : group.members) {
    const auto& groups = member->trace.distributed.groups;
    const auto found = std::ranges::find(groups, group.name, &DistributedInfo::Group::name);
    if (found != groups.end()) return found->ranks;
  }
  return {};
}

std::vector<std::int64_t> ranks_of_traces(const SweepPoint& traces) {
  std::vector<std::int64_t> ranks;
  for (const PlacedTrace* placed : traces) ranks.push_back(placed->rank);
  return ranks;
}

/// Where nothing of it is matched its ranks may be any of the run.
void count_ranks_of_run(CollectiveGroup& group, const SweepPoint& point, std::int64_t run) {
  if (!group.matched.empty() || group.may_lack_ranks() || std::ssize(point) >= run) return;
  group.size = run;
  group.missing = ranks_without(ranks_of_traces(point), run);
}

/// Its size, and which of its ranks nothing is seen of.
void count_ranks(CollectiveGroup& group, std::int64_t said, std::int64_t run) {
  const std::vector<std::int64_t> present = ranks_of_traces(group.members);
  const std::vector<std::int64_t> all = ranks_of_group(group);
  const bool is_of_all = group.name.empty() && group.ranks.empty() && said == 0;
  group.size = std::max({is_of_all ? run : said, std::ssize(present), std::ssize(all)});
  const std::int64_t run_said = group.members.front()->trace.distributed.world_size;
  group.is_size_said = said > 0 || !all.empty() || run_said == 1 || (is_of_all && run_said > 0);
  for (const std::int64_t rank : all) {
    if (std::ranges::find(present, rank) == present.end()) group.missing.push_back(rank);
  }
  if (all.empty() && group.size == run) group.missing = ranks_without(present, run);
  // The files name other ranks than they are of: only how many are missing is known.
  if (std::ssize(group.missing) != group.missing_count()) group.missing.clear();
}

std::vector<MemberClock> member_clocks(const GroupCandidates& group, const SweepPoint& point,
                                       const std::vector<RankClock>& clocks) {
  std::vector<MemberClock> members;
  for (const GroupMember& member : group.members) {
    const std::size_t place = place_in_point(point, member.placed);
    const auto shift = static_cast<TracePs>(clocks[place].shift_ps);
    members.push_back({clock_offset(member.placed->trace, point.front()->trace) + shift, !clocks[place].is_unknown()});
  }
  return members;
}

/// Where no group is recorded at all: leaves over what cannot have been one collective, as its ranks did not run it at
/// one time.
void leave_what_is_apart(CollectiveGroup& group, const std::vector<MemberClock>& clocks) {
  const auto is_apart = [&](const MatchedCollective& matched) {
    if (!ends_together(matched.signature.kind)) return false;
    TracePs start = std::numeric_limits<TracePs>::min();
    TracePs end = std::numeric_limits<TracePs>::max();
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      const GpuEvent& event = group.members[i]->trace.gpu_events[matched.events[i]];
      start = std::max(start, event.start + clocks[i].offset);
      end = std::min(end, event.end() + clocks[i].offset);
    }
    return Int128{start} - end > kOneHost;
  };
  std::vector<MatchedCollective> kept;
  for (MatchedCollective& matched : group.matched) {
    if (!is_apart(matched)) {
      kept.push_back(std::move(matched));
      continue;
    }
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      group.left_over.push_back({group.members[i], matched.events[i], matched.signature, -1,
                                 "no group is recorded, and the ranks do not run it at one time"});
    }
  }
  group.matched = std::move(kept);
}

}  // namespace

MatchedPoint match_collectives(const SweepPoint& point, const TraceSelection& selection) {
  const std::int64_t run = run_size(point);
  const std::vector<GroupCandidates> candidates = group_candidates(point, selection);
  std::vector<std::vector<CollectiveGroup>> groups(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Membership membership = membership_of(candidates[i], run);
    if (membership != Membership::kNotKnown) groups[i].push_back(matched_group(candidates[i], membership));
  }
  MatchedPoint matched;
  matched.clocks = point_clocks(point, groups);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto clocks = [&] { return member_clocks(candidates[i], point, matched.clocks); };
    if (groups[i].empty()) groups[i] = groups_by_time(candidates[i], clocks(), std::ssize(point) == run);
    if (groups[i].front().membership == Membership::kAssumed) leave_what_is_apart(groups[i].front(), clocks());
    for (CollectiveGroup& group : groups[i]) {
      count_ranks(group, candidates[i].size, run);
      count_ranks_of_run(group, point, run);
      matched.groups.push_back(std::move(group));
    }
  }
  return matched;
}

}  // namespace kernbench::traces
