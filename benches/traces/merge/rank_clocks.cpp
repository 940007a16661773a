#include "benches/traces/merge/rank_clocks.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench::traces {
namespace {

constexpr const char* kAlignments = "expected auto, base or ends";

using Collectives = std::vector<CollectiveTime>;

/// Of groups that are recorded: they have a name or ranks, or as many ranks as the run.
Collectives in_order(Collectives collectives, std::int64_t run) {
  const auto is_of_others = [run](const CollectiveTime& one) {
    return one.group_size < 0 ? run > 2 : one.group_size > 0 && one.group_size < run;
  };
  std::erase_if(collectives, is_of_others);
  std::ranges::sort(collectives, {}, [](const CollectiveTime& one) { return std::tuple(one.key, one.start, one.end); });
  return collectives;
}

Int128 base_of(const CollectedEvents& rank) { return Int128{rank.about.base_time_ns} * kPsPerNs + rank.origin_ps; }

/// Ends of `rank` − those of `other`, both in order, on their own clocks; `one_off`: of several alike the n-th − that
/// of the next one (1), or of the one before (-1).
std::vector<Int128> differences(const Collectives& rank, const Collectives& other, int one_off = 0) {
  std::vector<Int128> found;
  for (std::size_t i = 0, j = 0; i < rank.size() && j < other.size();) {
    const std::uint64_t key = rank[i].key;
    std::size_t count = 0;
    std::size_t others = 0;
    while (i + count < rank.size() && rank[i + count].key == key) ++count;
    while (j < other.size() && other[j].key < key) ++j;
    while (j + others < other.size() && other[j + others].key == key) ++others;
    const std::size_t next = one_off > 0 && count > 1 ? 1 : 0;
    const std::size_t previous = one_off < 0 && count > 1 ? 1 : 0;
    for (std::size_t k = 0; k + next + previous < count && count == others; ++k) {
      found.push_back(rank[i + k + previous].end - other[j + k + next].end);
    }
    i += count;
    j += others;
  }
  return found;
}

Int128 shift_of(const RankClock& clock, bool has_bases, Alignment align) {
  if (clock.matched == 0 || align == Alignment::kBase) return 0;
  return align == Alignment::kEnds ? shift_by_median(clock) : shift_by_ends(clock, has_bases);
}

class Clocks {
 public:
  explicit Clocks(const std::vector<const CollectedEvents*>& ranks) : ranks_(ranks), clocks_(ranks.size()) {
    std::int64_t run = std::ssize(ranks);
    for (const CollectedEvents* rank : ranks) run = std::max(run, rank->about.distributed.world_size);
    for (const CollectedEvents* rank : ranks) collectives_.push_back(in_order(rank->collectives, run));
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
    std::vector<Int128> found = differences(collectives_[rank], collectives_[known]);
    if (found.empty()) return false;
    const Int128 between = base_of(*ranks_[rank]) - base_of(*ranks_[known]) + clocks_[known].median_ps;
    const auto on_one_clock = [between](std::vector<Int128> all) {
      for (Int128& difference : all) difference += between;
      return all;
    };
    RankClock& clock = clocks_[rank] = clock_by_ends(on_one_clock(std::move(found)));
    const auto agree_one_off = [&](int by) {
      return agree(on_one_clock(differences(collectives_[rank], collectives_[known], by)));
    };
    if (clock.differs() && (agree_one_off(1) || agree_one_off(-1))) clock.doubt = ClockDoubt::kOneOff;
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
    clocks[i].has_bases = ranks[0]->about.has_base_time == ranks[i]->about.has_base_time;
    clocks[i].shift_ps = shift_of(clocks[i], has_bases, align);
  }
  return clocks;
}

}  // namespace kernbench::traces
