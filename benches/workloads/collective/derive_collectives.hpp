// What follows from the rows of several collectives: fits over sizes, the fastest algorithm (adr/0020).
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// For rows whose points differ in `bytes` alone, three sizes or more, a row for each line of their alpha-beta fit: the
/// point without `bytes`, with `derived` = "fit" and `segment` = 0, 1, ...
/// For rows whose points differ in `algorithm` and `root_die` alone, two algorithms or more, a row that names the
/// fastest and the next: the point without the two, with `derived` = "best". Rows that failed, and times of 0, are left
/// out.
[[nodiscard]] std::vector<Row> derive_collectives(const Results& simulated);

}  // namespace kernbench
