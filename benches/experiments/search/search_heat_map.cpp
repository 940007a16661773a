// The heat map of a search: what it found over the first two keys.
#include "benches/experiments/search/search_figures.hpp"
#include "benches/experiments/whatif/heat_map.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

std::optional<Figure> search_heat_map(const SearchToDraw& drawn) {
  const std::vector<Axis>& axes = drawn.space.axes();
  const auto keys = heat_map_axes(axes);
  if (!keys) return std::nullopt;
  const auto [x, y] = *keys;
  const Goal& goal = drawn.question.goals.front();
  HeatMap map{.x = axes[x],
              .y = axes[y],
              .metric = goal.name,
              .maximise = goal.maximise,
              .gap = drawn.question.targets.empty() ? "A gap: no machine there was tried, or none runs."
                                                    : "A gap: no machine that was tried there meets the targets."};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != x && i != y) map.best_over.push_back(axes[i].name);
  }
  for (std::size_t i = 0; i < drawn.found.tried.size(); ++i) {
    const Candidate& one = drawn.found.tried[i];
    if (!one.is_good()) continue;
    std::vector<std::string> others;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axis != x && axis != y) others.push_back(axes[axis].name + " " + axes[axis].values[one.choice[axis]].label);
    }
    map.cells.push_back({one.choice[x], one.choice[y], "", one.values.front(), drawn.rows[i], joined(others, ", ")});
  }
  return heat_map_figure(map, drawn.results);
}

}  // namespace kernbench
