// Figures of gemm-micro (adr/0045-gemm-micro.md, 45.8, 45.9).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

[[nodiscard]] std::vector<Figure> gemm_micro_figures(const Results& sim, const Results& theory);
[[nodiscard]] std::vector<Figure> gemm_micro_beside(const Results& sim, const std::vector<Results>& measured);
[[nodiscard]] std::string gemm_micro_headline(const Results& sim, const Results& theory);

/// Rows of whichever source, and what a figure says of it.
struct ShownRows {
  std::vector<const Row*> rows;
  std::string of;                  ///< "milestone-1h, simulated", "NVIDIA H200"
  std::string source;              ///< the line below the title that says where the numbers are from
  std::vector<std::string> notes;  ///< lines below that
};

/// TFLOPS of M by N, for each K and dtype, of those rows whose M, K and N are all among `sides`.
[[nodiscard]] Figure throughput_grid(const std::string& name, const ShownRows& shown,
                                     std::span<const std::int64_t> sides);
/// Those that it shows.
[[nodiscard]] std::vector<const Row*> rows_in_grid(const std::vector<const Row*>& rows,
                                                   std::span<const std::int64_t> sides);
/// TFLOPS of squares over their side, and of few rows over M, by dtype, each with its peak.
[[nodiscard]] Figure throughput_curves(const Results& sim);
/// TFLOPS a watt of the rows of each source, which are in this order.
[[nodiscard]] Figure efficiency_bars(const std::string& name, const std::vector<ShownRows>& shown);

/// The ten with the most TFLOPS a watt, the most first; fewer where fewer say it.
[[nodiscard]] std::vector<const Row*> most_efficient(const std::vector<const Row*>& rows);
/// Of some rows, in the order in which they first show them.
[[nodiscard]] std::vector<std::string> dtypes_of(const std::vector<const Row*>& rows);
/// A scale that gives each of these dtypes the colour that it always has.
[[nodiscard]] Json dtype_colours(const std::vector<std::string>& dtypes);
/// "512×1024×2048": M, K, N.
[[nodiscard]] std::string micro_shape(const Row& row);
/// What a mark of a row says when it is pointed at, and is drawn by.
[[nodiscard]] Json micro_record(const Row& row);
/// The field `tooltip` of marks of such records.
[[nodiscard]] Json micro_tooltip();

}  // namespace kernbench
