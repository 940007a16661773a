#include "benches/traces/tables/collective_items.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "benches/traces/tables/collective_kinds.hpp"

namespace kernbench::traces {
namespace {

/// Names that are numbers by their size, before others; sizes tell groups apart that have neither name nor ranks.
using GroupKey = std::tuple<std::size_t, std::string, std::string, std::int64_t>;

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
  const std::int64_t size = signature.group_ranks.empty() ? signature.group_size : 0;
  return {is_number ? signature.group.size() : std::string::npos, signature.group, signature.group_ranks, size};
}

}  // namespace

std::vector<GroupCandidates> group_candidates(const SweepPoint& point, const TraceSelection& selection) {
  std::map<GroupKey, GroupCandidates> groups;
  for (const PlacedTrace* placed : point) {
    const RankTrace& trace = placed->trace;
    for (const TraceId id : selected_events(trace, selection)) {
      const GpuEvent& event = trace.gpu_events[id];
      if (event.activity != GpuActivity::kCommunication) continue;
      CollectiveItem item{id, signature_of(trace, event), -1, 0};
      if (event.collective != kNoId) item.sequence = trace.collectives[event.collective].sequence;
      GroupCandidates& group = groups[key_of_group(item.signature)];
      group.size = std::max(group.size, item.signature.group_size);
      item.likeness = group.likenesses.try_emplace(likeness_of(item.signature), group.likenesses.size()).first->second;
      if (group.members.empty() || group.members.back().placed != placed) group.members.push_back({placed, {}});
      group.members.back().items.push_back(std::move(item));
    }
  }
  std::vector<GroupCandidates> candidates;
  for (auto& [key, group] : groups) {
    group.name = std::get<1>(key);
    group.ranks = std::get<2>(key);
    if (group.size == 0) group.size = std::ssize(listed_ranks(group.ranks));
    candidates.push_back(std::move(group));
  }
  return candidates;
}

std::int64_t run_size(const SweepPoint& point) {
  std::int64_t size = std::ssize(point);
  for (const PlacedTrace* placed : point) {
    const std::int64_t rank = std::min(placed->rank, std::numeric_limits<std::int64_t>::max() - 1);
    size = std::max({size, placed->trace.distributed.world_size, rank + 1});
  }
  return size;
}

std::vector<std::int64_t> listed_ranks(const std::string& text) {
  std::vector<std::int64_t> ranks;
  const char* next = text.data();
  const char* end = next + text.size();
  while (next != end) {
    if (*next == '.') return {};
    std::int64_t rank = 0;
    const auto [rest, error] = std::from_chars(next, end, rank);
    if (error == std::errc{}) ranks.push_back(rank);
    next = error == std::errc{} ? rest : next + 1;
  }
  return ranks;
}

bool has_sequences(const GroupCandidates& group) {
  return std::ranges::all_of(group.members, [](const GroupMember& member) {
    return std::ranges::all_of(member.items, [](const CollectiveItem& item) { return item.sequence >= 0; });
  });
}

}  // namespace kernbench::traces
