#include "benches/harness/trace_tables/collective_matching.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "benches/harness/trace_tables/collective_kinds.hpp"
#include "benches/harness/trace_tables/sequence_alignment.hpp"

namespace kernbench::traces {
namespace {

/// What the events of one collective have in common: kind, dtype, elements in and out.
using Likeness = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

struct Item {
  TraceId event = kNoId;
  CollectiveSignature signature;
  std::int64_t sequence = -1;
  std::size_t likeness = 0;
};

/// A rank's events of a group, by start.
struct Member {
  const PlacedTrace* placed = nullptr;
  std::vector<Item> items;
};

/// A group while it is matched.
struct Candidates {
  std::vector<Member> members;
  std::map<Likeness, std::size_t> likenesses;
};

/// Names that are numbers by their size, before others.
using GroupKey = std::tuple<std::size_t, std::string, std::string>;

Likeness likeness_of(const CollectiveSignature& signature) {
  if (is_point_to_point(signature.kind))
    return {"send/recv", signature.dtype, signature.in_elements, signature.out_elements};
  if (has_sizes_of_its_own(signature.kind)) return {signature.kind, signature.dtype, -1, -1};
  return {signature.kind, signature.dtype, signature.in_elements, signature.out_elements};
}

CollectiveSignature signature_of(const RankTrace& trace, const GpuEvent& event) {
  if (event.collective != kNoId) return trace.signatures[trace.collectives[event.collective].signature];
  CollectiveSignature signature;
  signature.kind = trace.name(event.name);
  return signature;
}

GroupKey key_of_group(const CollectiveSignature& signature) {
  const bool is_number =
      !signature.group.empty() && signature.group.find_first_not_of("0123456789") == std::string::npos;
  return {is_number ? signature.group.size() : std::string::npos, signature.group, signature.group_ranks};
}

std::map<GroupKey, Candidates> candidates_of(const SweepPoint& point, const TraceSelection& selection) {
  std::map<GroupKey, Candidates> groups;
  for (const PlacedTrace* placed : point) {
    const RankTrace& trace = placed->trace;
    for (const TraceId id : selected_events(trace, selection)) {
      const GpuEvent& event = trace.gpu_events[id];
      if (event.activity != GpuActivity::kCommunication) continue;
      Item item{id, signature_of(trace, event), -1, 0};
      if (event.collective != kNoId) item.sequence = trace.collectives[event.collective].sequence;
      Candidates& group = groups[key_of_group(item.signature)];
      item.likeness = group.likenesses.try_emplace(likeness_of(item.signature), group.likenesses.size()).first->second;
      if (group.members.empty() || group.members.back().placed != placed) group.members.push_back({placed, {}});
      group.members.back().items.push_back(std::move(item));
    }
  }
  return groups;
}

/// For each item of the first member, the place of its partner in `items`; none: it has none there.
using Partners = std::vector<std::optional<std::size_t>>;

bool has_sequences(const Candidates& group) {
  return std::ranges::all_of(group.members, [](const Member& member) {
    return std::ranges::all_of(member.items, [](const Item& item) { return item.sequence >= 0; });
  });
}

/// Those of one number are told apart by how many of it came before.
Partners partners_by_sequence(const std::vector<Item>& first, const std::vector<Item>& items) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  std::map<std::int64_t, std::int64_t> seen;
  for (std::size_t i = 0; i < items.size(); ++i) places[{items[i].sequence, seen[items[i].sequence]++}] = i;
  seen.clear();
  Partners partners;
  for (const Item& item : first) {
    const auto found = places.find({item.sequence, seen[item.sequence]++});
    const bool is_like = found != places.end() && items[found->second].likeness == item.likeness;
    partners.push_back(is_like ? std::optional(found->second) : std::nullopt);
  }
  return partners;
}

Partners partners_by_position(const std::vector<Item>& first, const std::vector<Item>& items) {
  const auto likenesses = [](const std::vector<Item>& of) {
    std::vector<std::size_t> all;
    for (const Item& item : of) all.push_back(item.likeness);
    return all;
  };
  Partners partners(first.size());
  for (const auto& [place, partner] : aligned(likenesses(first), likenesses(items))) partners[place] = partner;
  return partners;
}

/// A send's or receive's peer is known where the group has two ranks.
bool has_known_peer(const Item& item) {
  return !is_point_to_point(item.signature.kind) || item.signature.group_size == 2;
}

std::string reason_for(const Candidates& group, const Item& item) {
  if (!has_known_peer(item)) return "its peer is not recorded";
  for (const Member& member : group.members) {
    const auto same = [&item](const Item& other) { return other.likeness == item.likeness; };
    if (std::ranges::none_of(member.items, same)) {
      return "rank " + std::to_string(member.placed->rank) + " has none of this kind, dtype and size";
    }
  }
  return "other ranks have none in its place";
}

/// Takes the matched items, a row a collective, a place a member.
std::vector<std::vector<std::size_t>> matched_places(const Candidates& group) {
  const std::vector<Item>& first = group.members.front().items;
  const bool by_sequence = has_sequences(group);
  std::vector<Partners> partners;
  for (const Member& member : group.members) {
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

CollectiveGroup matched_group(const GroupKey& key, const Candidates& candidates) {
  CollectiveGroup group{std::get<1>(key), std::get<2>(key), {}, {}, {}};
  std::vector<std::vector<bool>> is_matched;
  for (const Member& member : candidates.members) {
    group.members.push_back(member.placed);
    is_matched.emplace_back(member.items.size(), false);
  }
  for (const std::vector<std::size_t>& places : matched_places(candidates)) {
    MatchedCollective matched{candidates.members.front().items[places.front()].signature, {}};
    for (std::size_t member = 0; member < places.size(); ++member) {
      matched.events.push_back(candidates.members[member].items[places[member]].event);
      is_matched[member][places[member]] = true;
    }
    group.matched.push_back(std::move(matched));
  }
  for (std::size_t member = 0; member < is_matched.size(); ++member) {
    const Member& of = candidates.members[member];
    for (std::size_t i = 0; i < of.items.size(); ++i) {
      if (is_matched[member][i]) continue;
      const Item& item = of.items[i];
      group.left_over.push_back({of.placed, item.event, item.signature, item.sequence, reason_for(candidates, item)});
    }
  }
  return group;
}

}  // namespace

std::vector<CollectiveGroup> match_collectives(const SweepPoint& point, const TraceSelection& selection) {
  std::vector<CollectiveGroup> groups;
  for (const auto& [key, candidates] : candidates_of(point, selection))
    groups.push_back(matched_group(key, candidates));
  return groups;
}

}  // namespace kernbench::traces
