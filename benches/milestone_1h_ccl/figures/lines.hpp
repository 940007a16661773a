// What the figures of this bench share: which colour an algorithm has, axes of sizes and times, panels of lines.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// A nominal colour channel for algorithms: those that `rows` have, each always in its own colour.
Json algorithm_colour(const std::vector<const Row*>& rows);

/// A logarithmic axis of sizes (16 B, 1 KiB, 64 KiB, ...) or of rank counts; `field` holds them.
Json size_channel(const std::string& field, const std::string& title);

/// A logarithmic axis of times in ns, labelled 10 ns, 1 µs, ...
Json time_channel(const std::string& field, const std::string& title);

/// One record a row: its point, its metrics, `panel`, `size` in words, and as `bound_FIELD` each metric of its theory.
struct LineRecord {
  const Row* row = nullptr;
  std::string panel;
};
Json line_records(const std::vector<LineRecord>& lines, const Results& theory);

/// Panels side by side (`panels` in that order): lines of `y` over `x` by `series`, with points, and the bound dashed.
struct LineChart {
  Json x;
  Json y;
  Json bound;               ///< y of the bound
  bool bound_each = false;  ///< the series have bounds of their own, in their colours
  Json colour;
  std::string series;
  std::string columns_title = {};
  std::vector<std::string> panels;
  int width = 240;
  int height = 300;
  Json tooltip = Json::array();
};
Json line_chart(const LineChart& chart);

/// Tooltip entries of a collective's row.
Json collective_tooltip();

}  // namespace kernbench
