// All points of a bench as one workload (adr/0035-what-if.md).
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// One row of the points' rows on one machine: the geometric mean of their times, and the mean of their ledgers. Points
/// that did not run on the first machine, `base`, do not count; where another did not run the row has its status and
/// reason. `rows` are in the order of `base`.
[[nodiscard]] Row mean_row(const std::vector<Row>& rows, const std::vector<Row>& base);

/// mean_row() of points that all have to run; and of every metric that all have and that is a number its arithmetic
/// mean, the least of it, "mac_util.min", and the most, "mac_util.max"; of words those that all share.
[[nodiscard]] Row summary_row(const std::vector<Row>& rows);

}  // namespace kernbench
