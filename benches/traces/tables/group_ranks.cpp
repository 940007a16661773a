#include "benches/traces/tables/group_ranks.hpp"

#include <algorithm>
#include <cstddef>

namespace kernbench::traces {
namespace {

constexpr std::int64_t kMostRanksOfARun = 1'000'000;  // larger ones are a file's nonsense

}  // namespace

std::string ranks_in_words(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < ranks.size(); first = next) {
    next = first + 1;
    while (next < ranks.size() && ranks[next] == ranks[next - 1] + 1) ++next;
    if (next - first == 2) next = first + 1;  // two in a row are no range
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[first]);
    if (next - first > 2) text += " to " + std::to_string(ranks[next - 1]);
  }
  return text;
}

std::vector<std::int64_t> ranks_without(const std::vector<std::int64_t>& present, std::int64_t size) {
  std::vector<std::int64_t> missing;
  if (size > kMostRanksOfARun) return missing;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    if (std::ranges::find(present, rank) == present.end()) missing.push_back(rank);
  }
  return missing;
}

std::string missing_ranks(const CollectiveGroup& group) {
  if (!group.may_lack_ranks()) return "";
  if (group.missing_count() <= 0) return "not known";
  if (!group.missing.empty()) return ranks_in_words(group.missing);
  return std::to_string(group.missing_count()) + " of " + std::to_string(group.size);
}

}  // namespace kernbench::traces
