// The time of GEMM kernels against how much of them communication runs beside, and what that costs by the causes'
// model.
#include <algorithm>
#include <map>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr int kOverlapWidth = 350;
constexpr int kOverlapHeight = 260;
constexpr std::size_t kKernelName = 48;  // bytes
constexpr int kOverlapTitle = 540;       // as measured; drawn it is less
constexpr int kOverlapsInARow = 2;
constexpr std::size_t kMostOverlapPanels = 6;
constexpr std::size_t kMostOverlapDots = 1500;  // of a panel
constexpr std::size_t kMostPointColours = 8;

/// A kernel and the GEMM that runs it, in words.
using Kernel = std::pair<std::string, std::string>;

Kernel kernel_of(const TableValues& table, std::size_t row) {
  return {gemm_text(table, row), table.text(row, "kernel")};
}

/// Rows of `gemm_calls` and of `slowdowns` of one kernel.
struct KernelRows {
  Kernel kernel;
  std::vector<std::size_t> calls;
  std::vector<std::size_t> fits;
  double difference_us = 0;  ///< the largest on a rank, between its longest and its shortest call
};

std::vector<KernelRows> kernels_with_fits(const TableValues& slowdowns) {
  std::vector<KernelRows> kernels;
  for (std::size_t row = 0; row < slowdowns.size(); ++row) {
    if (slowdowns.text(row, "contention_slope").empty()) continue;
    const Kernel kernel = kernel_of(slowdowns, row);
    auto found = std::ranges::find(kernels, kernel, &KernelRows::kernel);
    if (found == kernels.end()) found = kernels.insert(found, {kernel, {}, {}, 0});
    found->fits.push_back(row);
  }
  return kernels;
}

double largest_difference(const TableValues& calls, const KernelRows& kernel) {
  const std::vector<std::string> places = calls.places();
  std::map<std::string, std::pair<double, double>> ranges;  // by rank of a point
  for (const std::size_t row : kernel.calls) {
    const double time = calls.number(row, "kernel_us").value_or(0);
    const auto [range, is_new] = ranges.try_emplace(place_text(calls, row, places), time, time);
    range->second = {std::min(range->second.first, time), std::max(range->second.second, time)};
  }
  double largest = 0;
  for (const auto& [place, range] : ranges) largest = std::max(largest, range.second - range.first);
  return largest;
}

/// By their largest difference.
std::vector<KernelRows> kernels_to_show(const TableValues& calls, const TableValues& slowdowns) {
  std::vector<KernelRows> kernels = kernels_with_fits(slowdowns);
  for (std::size_t row = 0; row < calls.size(); ++row) {
    const auto found = std::ranges::find(kernels, kernel_of(calls, row), &KernelRows::kernel);
    if (found != kernels.end()) found->calls.push_back(row);
  }
  for (KernelRows& kernel : kernels) kernel.difference_us = largest_difference(calls, kernel);
  std::ranges::stable_sort(kernels, {}, [](const KernelRows& kernel) { return -kernel.difference_us; });
  return kernels;
}

/// What marks are coloured by: the point, where there are few; else the first axis of few values.
std::vector<std::string> colour_axes(const TableValues& slowdowns, const std::vector<std::string>& axes) {
  std::vector<std::string> points;
  for (std::size_t row = 0; row < slowdowns.size(); ++row) {
    std::string point = place_text(slowdowns, row, axes);
    if (std::ranges::find(points, point) == points.end()) points.push_back(std::move(point));
  }
  if (points.size() <= kMostPointColours) return axes;
  for (const std::string& axis : axes) {
    const std::size_t values = slowdowns.values(axis).size();
    if (values > 1 && values <= kMostPointColours) return {axis};
  }
  return {};
}

Json fit_records(const TableValues& slowdowns, const KernelRows& kernel, const std::vector<std::string>& axes,
                 const std::vector<std::string>& coloured) {
  Json records = Json::array();
  for (const std::size_t row : kernel.fits) {
    records.push_back({{"point", place_text(slowdowns, row, axes)},
                       {"colour", place_text(slowdowns, row, coloured)},
                       {"base", slowdowns.number(row, "base_us").value_or(0)},
                       {"baseline", slowdowns.text(row, "baseline")},
                       {"base_samples", slowdowns.number(row, "base_samples").value_or(0)},
                       {"slope", slowdowns.number(row, "contention_slope").value_or(0)},
                       {"samples", slowdowns.number(row, "contention_samples").value_or(0)}});
  }
  return records;
}

/// Of too many calls every n-th.
Json dot_records(const TableValues& calls, const KernelRows& kernel, const std::vector<std::string>& axes,
                 const std::vector<std::string>& coloured) {
  Json records = Json::array();
  const std::size_t step = (kernel.calls.size() + kMostOverlapDots - 1) / kMostOverlapDots;
  for (std::size_t i = 0; i < kernel.calls.size(); i += step) {
    const std::size_t row = kernel.calls[i];
    records.push_back({{"point", place_text(calls, row, axes)},
                       {"colour", place_text(calls, row, coloured)},
                       {"rank", calls.text(row, kRankColumn)},
                       {"call", calls.text(row, "call")},
                       {"share", calls.number(row, "share_pct").value_or(0)},
                       {"time", calls.number(row, "kernel_us").value_or(0)}});
  }
  return records;
}

Json panel_of(Json dots, Json fits, const std::vector<std::string>& colours) {
  Json panel = Json::parse(R"json({
    "layer": [
      {"mark": {"type": "point", "filled": true, "size": 20, "fillOpacity": 0.55, "aria": false},
       "encoding": {
         "x": {"field": "share", "type": "quantitative", "title": "share of the kernel beside communication (%)",
               "scale": {"domain": [0, 100]}, "axis": {"tickCount": 5}},
         "y": {"field": "time", "type": "quantitative", "title": "time of the kernel (µs)", "scale": {"zero": false}},
         "tooltip": [{"field": "point"}, {"field": "rank"}, {"field": "call"},
                     {"field": "time", "title": "time (µs)", "format": ",.3f"},
                     {"field": "share", "title": "share (%)", "format": ".1f"}]}},
      {"transform": [{"calculate": "0", "as": "none"}, {"calculate": "100", "as": "all"},
                     {"calculate": "datum.base * (1 + datum.slope)", "as": "beside"}],
       "mark": {"type": "rule", "strokeWidth": 2.5},
       "encoding": {
         "x": {"field": "none", "type": "quantitative"}, "x2": {"field": "all"},
         "y": {"field": "base", "type": "quantitative"}, "y2": {"field": "beside"},
         "tooltip": [{"field": "point"}, {"field": "base", "title": "alone (µs)", "format": ",.3f"},
                     {"field": "base_samples", "title": "calls alone"}, {"field": "baseline", "title": "of the"},
                     {"field": "slope", "format": ".4f"}, {"field": "samples", "title": "calls beside"}]}}
    ]
  })json");
  panel["width"] = kOverlapWidth;
  panel["height"] = kOverlapHeight;
  panel["layer"][0]["data"] = {{"values", std::move(dots)}};
  panel["layer"][1]["data"] = {{"values", std::move(fits)}};
  for (Json& layer : panel["layer"]) {
    if (colours.size() < 2) {
      layer["mark"]["color"] = palette::kBlue;
    } else {
      layer["encoding"]["color"] = {
          {"field", "colour"}, {"type", "nominal"}, {"title", nullptr}, {"scale", colour_scale(colours)}};
      layer["encoding"]["color"]["legend"] = {{"columns", 4}, {"symbolOpacity", 1}};
    }
  }
  return panel;
}

std::vector<std::string> notes_of(const std::vector<KernelRows>& kernels, std::size_t left_out) {
  const auto is_thinned = [](const KernelRows& kernel) { return kernel.calls.size() > kMostOverlapDots; };
  std::vector<std::string> notes{
      "A dot: the kernel of a call. A line: alone · (1 + slope · share) of a point, as causes reckon: alone is the "
      "median of",
      "calls with less than 1 % beside communication, slope the weighted median over those with more than 10 %."};
  if (std::ranges::any_of(kernels, is_thinned)) {
    notes.push_back("Of more than " + std::to_string(kMostOverlapDots) + " calls every n-th is a dot.");
  }
  if (left_out > 0) {
    notes.push_back("The " + std::to_string(kernels.size()) + " kernels whose calls on a rank vary most; " +
                    counted(static_cast<std::int64_t>(left_out), "other") + " in the table slowdowns.");
  }
  return notes;
}

/// Below a panel's title: the kernel, and how many calls the points' slopes rest on.
Json subtitle_of(const TableValues& slowdowns, const KernelRows& kernel) {
  double least = slowdowns.number(kernel.fits.front(), "contention_samples").value_or(0);
  double most = least;
  for (const std::size_t row : kernel.fits) {
    least = std::min(least, slowdowns.number(row, "contention_samples").value_or(0));
    most = std::max(most, slowdowns.number(row, "contention_samples").value_or(0));
  }
  const std::string range = formatted("%.0f", least) + (least == most ? "" : formatted(" to %.0f", most));
  return {shortened(kernel.kernel.second, kKernelName),
          counted(static_cast<std::int64_t>(kernel.calls.size()), "call") + "; slopes of " + range + " of them"};
}

}  // namespace

std::optional<Figure> overlap_figure(const TraceTable& calls, const TraceTable& slowdowns,
                                     const std::vector<std::string>& axes, const std::string& source) {
  const TableValues call_values(calls);
  const TableValues fit_values(slowdowns);
  std::vector<KernelRows> kernels = kernels_to_show(call_values, fit_values);
  if (kernels.empty()) return std::nullopt;
  const std::size_t left_out = kernels.size() - std::min(kernels.size(), kMostOverlapPanels);
  kernels.resize(kernels.size() - left_out);
  const std::vector<std::string> coloured = colour_axes(fit_values, axes);
  std::vector<std::string> colours;
  for (std::size_t row = 0; row < fit_values.size(); ++row) {
    std::string colour = place_text(fit_values, row, coloured);
    if (std::ranges::find(colours, colour) == colours.end()) colours.push_back(std::move(colour));
  }
  std::vector<std::string> titles;
  std::vector<Json> panels;
  for (const KernelRows& kernel : kernels) {
    titles.push_back(kernel.kernel.first);
    panels.push_back(panel_of(dot_records(call_values, kernel, axes, coloured),
                              fit_records(fit_values, kernel, axes, coloured), colours));
  }
  const std::string title = "GEMM kernels beside communication";
  Json spec = panels_of(titles, std::move(panels), kOverlapsInARow);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    spec["concat"][i]["title"].update({{"subtitle", subtitle_of(fit_values, kernels[i])}, {"limit", kOverlapTitle}});
  }
  spec["title"] = figure_title(title, source, notes_of(kernels, left_out));
  return Figure{"gemm_times_beside_communication", title, std::move(spec)};
}

}  // namespace kernbench::traces
