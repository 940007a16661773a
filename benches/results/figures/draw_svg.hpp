// Vega-Lite specifications to SVG: one run of node for a whole set of figures.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// The SHA-256 of the bundle that draws: other bytes may draw otherwise. Empty where it cannot be read.
std::string svg_drawer();

/// One SVG document a figure, in the order given. Text is in the family Roboto, which the SVG names and does not embed.
/// Throws ConfigError if node cannot be started, std::runtime_error naming the figure if one cannot be drawn or
/// draws with a warning (an unknown field, a dropped channel). A document is the same whatever is drawn with it.
std::vector<std::string> draw_svg(const std::vector<Figure>& figures);

}  // namespace kernbench
