#include "benches/measured/cases/error_summary.hpp"

#include <cmath>

#include "benches/measured/cases/statistics.hpp"

namespace kernbench {

ErrorSummary summary_of(const std::vector<double>& ratios) {
  if (ratios.empty()) return {};
  std::vector<double> errors;
  double sum = 0;
  double logarithms = 0;
  for (const double ratio : ratios) {
    errors.push_back(std::abs(ratio - 1));
    sum += errors.back();
    logarithms += std::log(ratio);
  }
  const auto count = static_cast<double>(ratios.size());
  return {ratios.size(), sum / count, median(errors), quantile(errors, 0.9), std::exp(logarithms / count) - 1};
}

}  // namespace kernbench
