#include "benches/harness/trace_merge/rank_clocks.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "sim/base/errors.hpp"

namespace kernbench::traces {
namespace {

constexpr Int128 kMostDifference = 1'000'000'000;  // ps: 1 ms
constexpr const char* kAlignments = "expected auto, base or ends";

using Collectives = std::vector<CollectiveTime>;

Collectives in_order(Collectives collectives) {
  std::ranges::sort(collectives, {}, [](const CollectiveTime& one) { return std::tuple(one.key, one.start, one.end); });
  return collectives;
}

Int128 base_of(const CollectedEvents& rank) { return Int128{rank.about.base_time_ns} * kPsPerNs + rank.origin_ps; }

/// Ends of `rank` − those of `other`, both in order, on their own clocks; sorted.
std::vector<Int128> differences(const Collectives& rank, const Collectives& other) {
  std::vector<Int128> found;
  for (std::size_t i = 0, j = 0; i < rank.size() && j < other.size();) {
    const std::uint64_t key = rank[i].key;
    std::size_t count = 0;
    std::size_t others = 0;
    while (i + count < rank.size() && rank[i + count].key == key) ++count;
    while (j < other.size() && other[j].key < key) ++j;
    while (j + others < other.size() && other[j + others].key == key) ++others;
    for (std::size_t k = 0; k < count && count == others; ++k) found.push_back(rank[i + k].end - other[j + k].end);
    i += count;
    j += others;
  }
  std::ranges::sort(found);
  return found;
}

/// Of two in the middle their mean.
Int128 median_of(const std::vector<Int128>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

Int128 rounded_to_ns(Int128 time) { return (time + (time < 0 ? -kPsPerNs / 2 : kPsPerNs / 2)) / kPsPerNs * kPsPerNs; }

Int128 size_of(Int128 time) { return time < 0 ? -time : time; }

bool is_to_shift(const RankClock& clock, bool has_bases, Alignment align) {
  if (clock.matched == 0 || align == Alignment::kBase) return false;
  return align == Alignment::kEnds || !has_bases || size_of(clock.median_ps) > kMostDifference;
}

class Clocks {
 public:
  explicit Clocks(const std::vector<const CollectedEvents*>& ranks) : ranks_(ranks), clocks_(ranks.size()) {
    for (const CollectedEvents* rank : ranks) collectives_.push_back(in_order(rank->collectives));
  }

  std::vector<RankClock> measure() {
    std::vector<std::size_t> known{0};
    std::vector<bool> is_known(ranks_.size());
    is_known[0] = true;
    for (std::size_t k = 0; k < known.size(); ++k) {
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        if (is_known[rank] || !measure(rank, known[k])) continue;
        is_known[rank] = true;
        known.push_back(rank);
      }
    }
    return clocks_;
  }

 private:
  bool measure(std::size_t rank, std::size_t known) {
    const std::vector<Int128> found = differences(collectives_[rank], collectives_[known]);
    if (found.empty()) return false;
    const Int128 between = base_of(*ranks_[rank]) - base_of(*ranks_[known]) + clocks_[known].median_ps;
    clocks_[rank] = {found.size(), median_of(found) + between, found.front() + between, found.back() + between, 0};
    return true;
  }

  const std::vector<const CollectedEvents*>& ranks_;
  std::vector<Collectives> collectives_;
  std::vector<RankClock> clocks_;
};

}  // namespace

Alignment parse_alignment(const std::string& text) {
  if (text == "auto") return Alignment::kAuto;
  if (text == "base") return Alignment::kBase;
  if (text == "ends") return Alignment::kEnds;
  throw ConfigError("--align " + text + ": " + kAlignments);
}

std::vector<RankClock> measure_clocks(const std::vector<const CollectedEvents*>& ranks, Alignment align) {
  std::vector<RankClock> clocks = Clocks(ranks).measure();
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const bool has_bases = ranks[0]->about.has_base_time && ranks[i]->about.has_base_time;
    if (is_to_shift(clocks[i], has_bases, align)) clocks[i].shift_ps = rounded_to_ns(-clocks[i].median_ps);
  }
  return clocks;
}

}  // namespace kernbench::traces
