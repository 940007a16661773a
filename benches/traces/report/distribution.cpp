#include "benches/traces/report/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "benches/measured/cases/statistics.hpp"

namespace kernbench::traces {
namespace {

constexpr double kWhisker = 1.5;  // box lengths
constexpr std::size_t kMostOutliers = 100;
constexpr std::size_t kFewestOfDensity = 5;
constexpr std::size_t kPlacesOfDensity = 48;

/// Silverman: 0.9 · min(s, (q3 - q1) / 1.34) · n^(-1/5), of sorted values; s alone where the quartiles are the same.
double bandwidth_of(const std::vector<double>& sorted) {
  const auto n = static_cast<double>(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  double width = std::sqrt(squares / (n - 1));
  const double quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  if (quartiles > 0) width = std::min(width, quartiles / 1.34);
  return 0.9 * width * std::pow(n, -0.2);
}

}  // namespace

BoxSummary box_summary(std::vector<double> values) {
  std::ranges::sort(values);
  BoxSummary box{.q1 = quantile(values, 0.25), .median = quantile(values, 0.5), .q3 = quantile(values, 0.75)};
  const double reach = kWhisker * (box.q3 - box.q1);
  const auto low = std::ranges::lower_bound(values, box.q1 - reach);
  const auto high = std::ranges::upper_bound(values, box.q3 + reach);
  box.low = *low;
  box.high = *(high - 1);
  box.outliers.assign(values.begin(), low);
  box.outliers.insert(box.outliers.end(), high, values.end());
  if (box.outliers.size() > kMostOutliers) {
    const auto distance = [&box](double value) { return -std::max(box.q1 - value, value - box.q3); };
    std::ranges::stable_sort(box.outliers, {}, distance);
    box.outliers.resize(kMostOutliers);
    std::ranges::sort(box.outliers);
  }
  return box;
}

std::vector<DensityPoint> density_of(std::vector<double> values) {
  if (values.size() < kFewestOfDensity) return {};
  std::ranges::sort(values);
  if (values.front() == values.back()) return {};
  const double bandwidth = bandwidth_of(values);
  const double scale = 1 / (static_cast<double>(values.size()) * bandwidth * std::sqrt(2 * std::numbers::pi_v<double>));
  std::vector<DensityPoint> points;
  for (std::size_t i = 0; i < kPlacesOfDensity; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kPlacesOfDensity - 1);
    const double at = values.front() + share * (values.back() - values.front());
    double sum = 0;
    for (const double value : values) {
      const double off = (at - value) / bandwidth;
      sum += std::exp(-off * off / 2);
    }
    points.push_back({at, sum * scale});
  }
  return points;
}

}  // namespace kernbench::traces
