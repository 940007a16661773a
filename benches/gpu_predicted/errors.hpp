// How far predictions are from what was measured: rows derived from a run's, a row a group (adr/0052).
#pragma once

#include <vector>

#include "benches/harness/results/results.hpp"

namespace kernbench {

/// A row a dtype and state of the L2, a dtype and size, and so on: {"derived": "error", "of": "bf16, warm, regular"},
/// with rows, mean, median and 90 % quantile of |error|, bias, the worst, and the same of the roofline and of trees
/// learned from the other shapes, on the same rows. Rows that the machine was fitted to are not counted.
[[nodiscard]] std::vector<Row> error_rows(const Results& predicted);

/// Of |error| of one way of predicting.
struct ErrorOf {
  std::size_t rows = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double bias = 0;  ///< mean of the signed errors
};
/// All zero of none.
[[nodiscard]] ErrorOf error_of(std::vector<double> errors);

}  // namespace kernbench
