// What all figures share: fonts, and how numbers are printed.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/palette.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The Vega-Lite `config` of every figure. Text is at least 12 px high, so at least 11 px where a page shows the figure
/// a little smaller.
Json figure_config();

/// A selection that singles out the series clicked in the legend: put it under `params` and use if_selected().
Json legend_selection(const std::string& field);

/// The opacity of a mark under legend_selection(): `opaque`, or faint when its series is not among those singled out.
Json if_selected(double opaque = 1.0);

/// Rows of the results that a page points at, and those that its brushes leave: the parameters of a figure whose data
/// have the field `row` (11.19). In a file no row is, and all are. Put them under `params` of the whole figure.
Json linked_rows();

/// Is true of a mark whose row the page points at, and of one that brushes leave out.
inline constexpr const char* kIsLinked = "datum.row === linked_row";
inline constexpr const char* kIsLeftOut = "kept !== null && !kept[datum.row]";

/// What a mark has when its row is pointed at, and otherwise.
Json if_linked(const Json& linked, const Json& otherwise);

/// The parameter of a figure whose data have fields that the page's toggles are named after: the page sets it to
/// {field: {value: true}}; in a file it is null, and all is shown (11.22). Put it under `params` of the whole figure.
Json toggled_params();

/// The transform that leaves of its data what these fields' toggles show.
Json if_toggled(const std::vector<std::string>& fields);

/// The layered `panel` with a heading over a column that is printed right of it, `x` pixels from its left edge; once
/// for each column.
Json with_column_heading(Json panel, const std::string& text, int x);

/// A logarithmic axis for these values: where they span a decade, lines at 1, 2, 5 of each and numbers at the decades.
Json log_axis(const std::vector<double>& values);

/// A Vega expression that prints a field of nanoseconds in ns, µs or ms, with four significant digits at most.
std::string time_text(const std::string& field);

}  // namespace kernbench
