// How the clock of one rank differs from another's, by the ends of the collectives that both took part in (ADR-0040,
// 40.31).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/checked.hpp"

namespace kernbench::traces {

/// ps: the most that ends of ranks of one host were seen to differ by (median): four H200s, eight runs. So much a clock
/// that was set by ends may still be off.
inline constexpr Int128 kSeenOnOneHost = 65'000'000;
/// ps: beyond it clocks are others.
inline constexpr Int128 kOneHost = 100'000'000;

/// Why ends do not tell by what a clock differs.
enum class ClockDoubt : std::uint8_t {
  kNone,
  kScattered,  ///< fewer than three quarters of them differ by the median, give or take kOneHost
  kLeftOver,   ///< matched by position, with others left over: they may be matched one off
  kOneOff,     ///< matched by position; each with the next one of its kind they agree: they may be matched one off
  kNoBase      ///< one of both files alone has a base time, and no ends differ by one time
};

/// Of a rank beside another one; of that one itself the differences are 0.
struct RankClock {
  std::size_t matched = 0;  ///< collectives; 0: nothing is known of its clock
  Int128 median_ps = 0;     ///< of its ends − the other rank's
  Int128 min_ps = 0;
  Int128 max_ps = 0;
  Int128 shift_ps = 0;  ///< what its times are moved by; whole ns
  ClockDoubt doubt = ClockDoubt::kNone;
  std::int64_t beside = 0;  ///< the other rank
  bool is_of_most = true;   ///< more than half of the ranks agree with that one
  bool has_bases = true;    ///< both files have a base time, or neither

  /// By more than one host shows.
  [[nodiscard]] bool differs() const;
  /// It differs, and not by one time that it could be set by.
  [[nodiscard]] bool is_unknown() const;
};

/// Of `differences` of ends, in any order; without a shift.
[[nodiscard]] RankClock clock_by_ends(std::vector<Int128> differences);

/// Whether those ends, one or more, are of one clock. Of collectives that were matched by position, each with the next
/// one of its kind: where they agree the match may be one off.
[[nodiscard]] bool agree(std::vector<Int128> differences);

/// What sets a rank's clock right: − the median, rounded to ns, halves away from zero, where it differs by one time or
/// base times are not comparable; else 0.
[[nodiscard]] Int128 shift_by_ends(const RankClock& clock, bool has_bases);
[[nodiscard]] Int128 shift_by_median(const RankClock& clock);

/// Whether a kind of collective (`Collective name`, or a kernel's name) ends on no rank before all have come, which
/// makes its ends evidence of clocks: all_reduce, all_gather, reduce_scatter, barrier. Broadcasts, reductions to one
/// rank, sends may; of all_to_all the ranks end apart.
[[nodiscard]] bool ends_together(const std::string& kind);

}  // namespace kernbench::traces
