#include "benches/traces/events/rank_clock.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "benches/traces/events/classify.hpp"

namespace kernbench::traces {
namespace {

constexpr Int128 kPsOfNs = 1000;
constexpr std::array<std::string_view, 4> kEndTogether{"allreduce", "allgather", "reducescatter", "barrier"};

Int128 magnitude(Int128 time) { return time < 0 ? -time : time; }

/// Of two in the middle their mean.
Int128 median_of(const std::vector<Int128>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

bool RankClock::differs() const { return matched > 0 && magnitude(median_ps) > kOneHost; }

bool RankClock::is_unknown() const { return doubt == ClockDoubt::kNoBase || (doubt != ClockDoubt::kNone && differs()); }

RankClock clock_by_ends(std::vector<Int128> differences) {
  if (differences.empty()) return {};
  std::ranges::sort(differences);
  RankClock clock{differences.size(), median_of(differences), differences.front(), differences.back()};
  const auto agrees = [&clock](Int128 difference) { return magnitude(difference - clock.median_ps) <= kOneHost; };
  const auto agreeing = static_cast<std::size_t>(std::ranges::count_if(differences, agrees));
  if (4 * agreeing < 3 * differences.size()) clock.doubt = ClockDoubt::kScattered;
  return clock;
}

bool agree(std::vector<Int128> differences) {
  const RankClock clock = clock_by_ends(std::move(differences));
  return clock.matched > 0 && !clock.differs() && clock.doubt == ClockDoubt::kNone;
}

Int128 shift_by_median(const RankClock& clock) {
  const Int128 back = -clock.median_ps;
  return (back + (back < 0 ? -kPsOfNs / 2 : kPsOfNs / 2)) / kPsOfNs * kPsOfNs;
}

Int128 shift_by_ends(const RankClock& clock, bool has_bases) {
  if (clock.matched == 0) return 0;
  return !has_bases || (clock.differs() && clock.doubt == ClockDoubt::kNone) ? shift_by_median(clock) : 0;
}

bool ends_together(const std::string& kind) {
  std::string word = lower_case(kind);
  std::erase(word, '_');
  return std::ranges::any_of(kEndTogether,
                             [&word](std::string_view part) { return word.find(part) != std::string::npos; });
}

}  // namespace kernbench::traces
