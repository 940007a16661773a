// What a box plot and a violin show of a set of times (ADR-0040, 40.41 and 40.42).
#pragma once

#include <utility>
#include <vector>

namespace kernbench::traces {

/// In the values' unit.
struct BoxSummary {
  double low = 0;  ///< end of the whisker: the least value not farther from the box than 1.5 · (q3 - q1)
  double q1 = 0;
  double median = 0;
  double q3 = 0;
  double high = 0;
  std::vector<double>
      outliers{};  ///< values beyond the whiskers, ascending: of more than 100 the farthest from the box
};

/// Of one value or more, in any order.
[[nodiscard]] BoxSummary box_summary(std::vector<double> values);

struct DensityPoint {
  double value = 0;
  double density = 0;  ///< per unit of the values
};

/// Gaussian kernel density at 48 places from the least to the most, bandwidth by Silverman's rule; empty of fewer than
/// five values, and where all are the same.
[[nodiscard]] std::vector<DensityPoint> density_of(std::vector<double> values);

}  // namespace kernbench::traces
