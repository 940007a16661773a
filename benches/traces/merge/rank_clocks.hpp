// How the clocks of ranks differ, by the ends of the collectives that they took part in together.
#pragma once

#include <string>
#include <vector>

#include "benches/traces/events/rank_clock.hpp"
#include "benches/traces/merge/event_collector.hpp"

namespace kernbench::traces {

enum class Alignment {
  kAuto,  ///< shift a rank where base times are missing, or its ends say that its clock is another's (shift_by_ends)
  kBase,  ///< never: base times are right
  kEnds   ///< always
};

/// "auto", "base" or "ends". Throws ConfigError for any other.
[[nodiscard]] Alignment parse_alignment(const std::string& text);

/// Ranks in order; the first one stays. Collectives of equal signature, group and Seq are matched in their order where
/// both ranks have as many, those of groups that are not recorded (40.32) left out; a rank that has none in common with
/// the first is measured through one that is known.
[[nodiscard]] std::vector<RankClock> measure_clocks(const std::vector<const CollectedEvents*>& ranks, Alignment align);

}  // namespace kernbench::traces
