// How far the predicted products are from the measured ones: rows derived from a run's (adr/0052).
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// As error_rows(): a row a dtype, its states of the L2, of the clock and its ragged products, then by measured time;
/// beside them the roofline, and trees that learned from other shapes.
[[nodiscard]] std::vector<Row> product_error_rows(const Results& predicted);

}  // namespace kernbench
