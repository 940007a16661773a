#include "benches/measured/cases/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace kernbench {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) throw std::invalid_argument("a quantile of no samples");
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile must be within 0 and 1");
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double part = position - static_cast<double>(below);
  return samples[below] + part * (samples[above] - samples[below]);
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

void add_family(Metrics& metrics, const std::string& name, const std::vector<double>& samples_ns) {
  metrics.set(Metric<double, std::string>{name + "_ns"}, quantile(samples_ns, 0.5));
  metrics.set(Metric<double, std::string>{name + "_p10_ns"}, quantile(samples_ns, 0.1));
  metrics.set(Metric<double, std::string>{name + "_p90_ns"}, quantile(samples_ns, 0.9));
  metrics.set(Metric<std::int64_t, std::string>{name + "_count"}, samples_ns.size());
}

}  // namespace kernbench
