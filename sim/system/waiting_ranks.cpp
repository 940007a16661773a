#include "sim/system/waiting_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "sim/base/text.hpp"

namespace kernbench {

namespace {

struct Group {
  std::vector<const WaitingRank*> ranks;
  std::string what;
};

std::vector<Group> grouped(const std::vector<WaitingRank>& ranks) {
  std::map<std::string, std::size_t> same;
  std::map<std::string, std::size_t> alike;
  for (const WaitingRank& rank : ranks) {
    ++same[rank.what];
    ++alike[rank.alike];
  }
  std::vector<Group> groups;
  for (const WaitingRank& rank : ranks) {
    const bool relative = same[rank.what] == 1 && alike[rank.alike] > 1;
    const std::string& what = relative ? rank.alike : rank.what;
    auto group = std::ranges::find(groups, what, &Group::what);
    if (group == groups.end()) group = groups.insert(group, {{}, what});
    group->ranks.push_back(&rank);
  }
  return groups;
}

}  // namespace

std::string name_ranks(const std::vector<std::int32_t>& ranks) {
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    runs.push_back(std::to_string(ranks[first]) + (last > first ? "-" + std::to_string(ranks[last]) : ""));
    first = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + joined(runs);
}

std::string name_relative(std::int32_t other, std::int32_t rank, std::int32_t size) {
  const std::int32_t up = (other - rank + size) % size;
  return up <= size / 2 ? "rank r + " + std::to_string(up) : "rank r - " + std::to_string(size - up);
}

std::string describe_waiting(const std::string& launch, const std::vector<WaitingRank>& ranks) {
  std::string text;
  for (const Group& group : grouped(ranks)) {
    std::vector<std::int32_t> numbers;
    for (const WaitingRank* rank : group.ranks) numbers.push_back(rank->rank);
    const bool several = numbers.size() > 1;
    text += "  " + launch + ", " + name_ranks(numbers) + " (" + group.ranks.front()->pe +
            (several ? " to " + group.ranks.back()->pe : "") + ") ";
    if (group.what.empty()) {
      text += std::string(several ? "are" : "is") + " at work and waits for nobody\n";
    } else {
      text += (several ? "wait " : "waits ") + group.what + "\n";
    }
  }
  return text;
}

std::string first_lines(const std::string& text) {
  constexpr std::size_t kMost = 32;
  const std::vector<std::string> lines = split(text, "\n");  // the last is empty
  if (lines.size() <= kMost + 1) return text;
  std::string shown;
  for (std::size_t i = 0; i < kMost; ++i) shown += lines[i] + "\n";
  return shown + "  and " + std::to_string(lines.size() - 1 - kMost) + " more\n";
}

}  // namespace kernbench
