// How far predicted times are from the actual ones.
#pragma once

#include <cstddef>
#include <vector>

namespace kernbench {

/// Of times that were predicted, over the actual ones.
struct ErrorSummary {
  std::size_t rows = 0;
  double mean = 0;    ///< of |predicted / actual - 1|
  double median = 0;  ///< the same
  double p90 = 0;     ///< the same
  double bias = 0;    ///< geometric mean of predicted / actual, less 1
};
/// Of predicted / actual; all zero of none.
[[nodiscard]] ErrorSummary summary_of(const std::vector<double>& ratios);

}  // namespace kernbench
