// From timed samples to the metrics that a measured row carries: a family of four for each timed quantity.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The value below which the fraction `q` (0..1) of the samples lies, linearly interpolated between order statistics
/// (position q (n - 1), numpy's default). Throws std::invalid_argument for no samples or q outside 0..1.
[[nodiscard]] double quantile(std::vector<double> samples, double q);

[[nodiscard]] double median(std::vector<double> samples);

/// Adds `<name>_ns` (the median), `<name>_p10_ns`, `<name>_p90_ns` and `<name>_count` of samples in ns.
void add_family(Metrics& metrics, const std::string& name, const std::vector<double>& samples_ns);

}  // namespace kernbench
