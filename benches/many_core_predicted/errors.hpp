// How far simulated products of a many-core chip are from published ones: rows derived from a run's, and a figure.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

inline constexpr Metric<double> kMeasuredEfficiency{"measured_useful_eff"};

/// As error_rows(), of the utilisation, of products that took 100 us and more: by how they were run and where operands
/// lay.
[[nodiscard]] std::vector<Row> many_core_error_rows(const Results& simulated);
/// `chip` by its name, "Wormhole n150".
[[nodiscard]] std::vector<Figure> many_core_figures(const Results& simulated, const std::string& chip);
[[nodiscard]] std::string many_core_headline(const Results& simulated, const Results& theory);

}  // namespace kernbench
