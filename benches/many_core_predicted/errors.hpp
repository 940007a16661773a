// How far simulated products of a many-core chip are from published ones: rows derived from a run's, and a figure.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

inline constexpr Metric<double> kMeasuredEfficiency{"measured_useful_eff"};
/// Of pairs of formats: the share of which the faster one is simulated as the faster one.
inline constexpr Metric<double> kRightShare{"right"};

/// As error_rows(), of the utilisation, of products that took 100 us and more: by how they were run, where operands
/// lay, and format. Then how many pairs of formats, of one product run alike, come in the measured order.
[[nodiscard]] std::vector<Row> many_core_error_rows(const Results& simulated);
/// `chip` by its name, "Wormhole n150".
[[nodiscard]] std::vector<Figure> many_core_figures(const Results& simulated, const std::string& chip);
[[nodiscard]] std::string many_core_headline(const Results& simulated, const Results& theory);

}  // namespace kernbench
