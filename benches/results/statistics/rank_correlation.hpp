// How far two measures put the same things in the same order.
#pragma once

#include <vector>

namespace kernbench {

/// Spearman's: 1 where both orders are the same, -1 where they are opposite; equal values share the mean of their
/// ranks. NaN for fewer than two values, or where one of the two has one value alone.
[[nodiscard]] double rank_correlation(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace kernbench
