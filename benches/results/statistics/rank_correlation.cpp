#include "benches/results/statistics/rank_correlation.hpp"

#include <algorithm>
#include <boost/math/statistics/bivariate_statistics.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace kernbench {

namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&values](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const auto is_constant = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  };
  if (one.size() < 2 || is_constant(one) || is_constant(other)) return std::numeric_limits<double>::quiet_NaN();
  return boost::math::statistics::correlation_coefficient(ranks(one), ranks(other));
}

}  // namespace kernbench
