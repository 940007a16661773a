// How the processes and tracks of a rank are named and numbered in a merged trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/merge/event_collector.hpp"
#include "benches/traces/merge/merged_encoding.hpp"

namespace kernbench::traces {

struct MergedNames {
  std::vector<MergedProcess> processes;  ///< those that have tracks: the GPU's, then the CPU's
  std::vector<MergedTrack> tracks;       ///< one for each of CollectedEvents::tracks, without tid
};

/// Lanes of a track stand behind it: sort_index counts in steps of this.
inline constexpr std::int64_t kLanesPerTrack = 1000;

/// `place`: of the rank among all, from 0.
[[nodiscard]] MergedNames name_rank(const CollectedEvents& events, std::int64_t rank, std::size_t place);

}  // namespace kernbench::traces
