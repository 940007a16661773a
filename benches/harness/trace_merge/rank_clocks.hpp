// How the clocks of ranks differ, by the ends of the collectives that they took part in together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benches/harness/trace_merge/event_collector.hpp"
#include "sim/base/checked.hpp"

namespace kernbench::traces {

enum class Alignment {
  kAuto,  ///< shift a rank where base times are missing, or its ends differ by more than 1 ms in the median
  kBase,  ///< never: base times are right
  kEnds   ///< always
};

/// "auto", "base" or "ends". Throws ConfigError for any other.
[[nodiscard]] Alignment parse_alignment(const std::string& text);

/// Of a rank beside the first one.
struct RankClock {
  std::size_t matched = 0;  ///< collectives; 0: nothing is known of its clock
  Int128 median_ps = 0;     ///< of its ends − the first rank's
  Int128 min_ps = 0;
  Int128 max_ps = 0;
  Int128 shift_ps = 0;  ///< what its times are moved by; whole ns
};

/// Ranks in order; the first one stays. Collectives of equal signature, group and Seq are matched in their order where
/// both ranks have as many; a rank that has none in common with the first is measured through one that is known.
[[nodiscard]] std::vector<RankClock> measure_clocks(const std::vector<const CollectedEvents*>& ranks, Alignment align);

}  // namespace kernbench::traces
