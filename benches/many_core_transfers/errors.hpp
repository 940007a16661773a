// How far simulated transfers of a many-core chip are from published ones: rows derived from a run's, and a figure.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// As error_rows(), of the time, by pattern, of placements by virtual channel too; at the end those of the rows that
/// constants were chosen by.
[[nodiscard]] std::vector<Row> transfer_error_rows(const Results& simulated);
[[nodiscard]] std::vector<Figure> transfer_figures(const Results& simulated, const Results& theory);
[[nodiscard]] std::string transfer_headline(const Results& simulated, const Results& theory);

}  // namespace kernbench
