// A heat map of two keys: a cell for each pair of their values (ADR-0035, 35.12).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// One value at a pair.
struct HeatCell {
  std::size_t x = 0;     ///< which value of the first key
  std::size_t y = 0;     ///< which of the second
  std::string panel{};   ///< one map for each; "" where there is one
  double value = 0;      ///< of the metric
  std::size_t row = 0;   ///< of the results
  std::string others{};  ///< the values of all other axes, for the reader who points at the cell
};

struct HeatMap {
  const Axis& x;
  const Axis& y;
  std::string metric;                    ///< with its unit: "time (ns)"
  bool maximise = false;                 ///< the most is best
  std::vector<HeatCell> cells{};         ///< of a pair that several have, the best is shown
  std::string gap{};                     ///< what a pair without a value means, a sentence
  std::vector<std::string> best_over{};  ///< the other axes, of which a cell has the best
};

/// The first two axes that are keys of the machine with several values; nothing where there are fewer.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> heat_map_axes(const std::vector<Axis>& axes);

/// None where less than a third of all pairs have a value: scattered machines are no map.
[[nodiscard]] std::optional<Figure> heat_map_figure(const HeatMap& map, const Results& results);

/// Of a sweep: its first metric, a panel for each of the bench's own points, of many the first six.
[[nodiscard]] std::optional<Figure> sweep_heat_map(const Bench& bench, const Results& simulated);

}  // namespace kernbench
