// What `kernbench compare` prints: which rows moved and by how much, in 80 columns.
#pragma once

#include <cstddef>
#include <string>

#include "benches/results/rows/compare.hpp"

namespace kernbench {

struct CompareReportLimits {
  std::size_t rows = 10;
  std::size_t values = 6;  ///< of a row
};

/// A summary line, the spread of each metric that moved, then the rows with what was, what is and the change in
/// percent; what the limits leave out is counted. `name` is how the results are called; without differences one line
/// says so.
std::string compare_report(const std::string& name, const ResultsComparison& comparison,
                           const CompareReportLimits& limits);

}  // namespace kernbench
