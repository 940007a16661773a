// Two sequences side by side: which elements of one are which of the other.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kernbench::traces {

inline constexpr std::size_t kMostDifferences = 4000;

/// Pairs of places (in a, in b) of equal elements, rising in both, as many as possible; of several such alignments one
/// that pairs from the front. Takes time and memory by how much the two differ; none where they differ in more than
/// kMostDifferences elements.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> aligned(const std::vector<std::size_t>& a,
                                                                       const std::vector<std::size_t>& b);

}  // namespace kernbench::traces
