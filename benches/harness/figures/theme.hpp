// What all figures share: colours, fonts, and how numbers are printed.
#pragma once

#include <string>

#include "benches/harness/results/results.hpp"

namespace kernbench {

/// The palette of Okabe and Ito: eight colours that readers with any kind of colour vision tell apart.
namespace palette {
inline constexpr const char* kBlack = "#000000";
inline constexpr const char* kOrange = "#E69F00";
inline constexpr const char* kSkyBlue = "#56B4E9";
inline constexpr const char* kGreen = "#009E73";
inline constexpr const char* kYellow = "#F0E442";
inline constexpr const char* kBlue = "#0072B2";
inline constexpr const char* kVermillion = "#D55E00";
inline constexpr const char* kPurple = "#CC79A7";
}  // namespace palette

/// The Vega-Lite `config` of every figure. Text is at least 12 px high, so at least 11 px where a page shows the figure
/// a little smaller.
Json figure_config();

/// A selection that singles out the series clicked in the legend: put it under `params` and use if_selected().
Json legend_selection(const std::string& field);

/// The opacity of a mark under legend_selection(): `opaque`, or faint when its series is not among those singled out.
Json if_selected(double opaque = 1.0);

/// A Vega expression that prints a field of nanoseconds in ns, µs or ms, with four significant digits at most.
std::string time_text(const std::string& field);

}  // namespace kernbench
