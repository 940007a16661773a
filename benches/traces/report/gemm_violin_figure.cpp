// Densities of GEMM times at each point of a sweep.
#include <algorithm>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/distribution.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

constexpr int kViolinHeight = 26;  // of a point
constexpr int kViolinWidth = 620;
constexpr std::size_t kManyPoints = 200;  // of which not all are named
constexpr double kHalfWidth = 0.44;       // of a violin at its widest, in distances between points

/// A Vega expression that says a point's name at its number.
std::string names_expression(const std::vector<std::string>& points) { return Json(points).dump() + "[datum.value]"; }

void add_violin(Json& outline, Json& medians, std::size_t place, const std::string& point,
                const std::vector<double>& times) {
  if (times.empty()) return;
  const double median = box_summary(times).median;
  medians.push_back({{"point", point}, {"place", place}, {"median", median}, {"calls", times.size()}});
  const std::vector<DensityPoint> densities = density_of(times);
  if (densities.empty()) return;
  const double most = std::ranges::max_element(densities, {}, &DensityPoint::density)->density;
  for (const DensityPoint& at : densities) {
    const double half = kHalfWidth * at.density / most;
    outline.push_back({{"point", point},
                       {"calls", times.size()},
                       {"median", median},
                       {"time", at.value},
                       {"density", at.density},
                       {"from", static_cast<double>(place) - half},
                       {"to", static_cast<double>(place) + half}});
  }
}

/// A row for each point, the first at the top; the same in both layers, which share the axis.
void set_places(Json& layer, const std::vector<std::string>& points) {
  Json places = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) places.push_back(i);
  const double last = static_cast<double>(points.size()) - 0.5;
  Json& y = layer["encoding"]["y"];
  y["scale"] = {{"domain", {last, -0.5}}, {"nice", false}, {"zero", false}};
  y["axis"] = {{"values", std::move(places)},
               {"labelExpr", names_expression(points)},
               {"ticks", false},
               {"domain", false},
               {"labelOverlap", points.size() > kManyPoints},
               {"labelLimit", 300}};
}

Json outline_layer(const Json& outline, const std::vector<std::string>& points) {
  Json layer = Json::parse(R"json({
    "mark": {"type": "area", "orient": "vertical", "strokeWidth": 0.8},
    "encoding": {
      "x": {"field": "time", "type": "quantitative"},
      "y": {"field": "from", "type": "quantitative", "title": null},
      "y2": {"field": "to"},
      "detail": {"field": "point"},
      "tooltip": [{"field": "point"}, {"field": "calls"}, {"field": "median", "title": "median (µs)", "format": ",.3f"}]
    }
  })json");
  set_places(layer, points);
  layer["mark"]["color"] = palette::kSkyBlue;
  layer["data"] = {{"values", outline}};
  return layer;
}

/// The medians' layer has the title of x: a GEMM of few calls has no outlines.
Json medians_layer(const Json& medians, const std::vector<std::string>& points) {
  Json layer = Json::parse(R"json({
    "mark": {"type": "tick", "orient": "vertical", "thickness": 2.5, "size": 14},
    "encoding": {
      "x": {"field": "median", "type": "quantitative", "title": "time of a call (µs)", "scale": {"zero": false}},
      "y": {"field": "place", "type": "quantitative", "title": null},
      "tooltip": [{"field": "point"}, {"field": "calls"}, {"field": "median", "title": "median (µs)", "format": ",.3f"}]
    }
  })json");
  set_places(layer, points);
  layer["mark"]["color"] = palette::kInk;
  layer["data"] = {{"values", medians}};
  return layer;
}

Json violin_panel(const Json& outline, const Json& medians, const std::vector<std::string>& points) {
  Json panel{{"layer", Json::array()}};
  if (!outline.empty()) panel["layer"].push_back(outline_layer(outline, points));
  panel["layer"].push_back(medians_layer(medians, points));
  panel["width"] = kViolinWidth;
  panel["height"] = std::max(60, static_cast<int>(points.size()) * kViolinHeight);
  return panel;
}

}  // namespace

Figure gemm_violin_figure(const GemmTimes& times, const std::string& source) {
  const std::string title = "How the times of GEMM calls are spread";
  std::vector<Json> panels;
  for (std::size_t gemm = 0; gemm < times.gemms.size(); ++gemm) {
    std::vector<std::vector<double>> of_point(times.points.size());
    for (const TimedCall& call : times.calls) {
      if (call.gemm == gemm) of_point[call.point].push_back(call.time_us);
    }
    Json outline = Json::array();
    Json medians = Json::array();
    for (std::size_t i = 0; i < times.points.size(); ++i) {
      add_violin(outline, medians, i, times.points[i], of_point[i]);
    }
    panels.push_back(violin_panel(outline, medians, times.points));
  }
  Json spec = panels_of_gemms(times, std::move(panels));
  spec["columns"] = 1;
  spec["title"] = figure_title(title, source,
                               gemm_notes(times,
                                          "Density of the calls of all ranks (Gaussian kernel), each as wide as it "
                                          "gets; the line: the median."));
  return {"gemm_time_densities", title, std::move(spec)};
}

}  // namespace kernbench::traces
