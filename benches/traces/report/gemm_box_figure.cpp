// Box plots of GEMM times.
#include <algorithm>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/distribution.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

constexpr int kBoxWidth = 222;
constexpr int kBoxHeight = 220;
constexpr const char* kBoxNote =
    "Box: quartiles and median of the calls' times; whiskers: to the last call within 1.5 box lengths; points: calls "
    "beyond.";

/// `fields` and the box; nothing of no times.
void add_box(Json& boxes, Json& outliers, const Json& fields, const std::vector<double>& times) {
  if (times.empty()) return;
  const BoxSummary box = box_summary(times);
  Json record = fields;
  record.update({{"calls", times.size()},
                 {"low", box.low},
                 {"q1", box.q1},
                 {"median", box.median},
                 {"q3", box.q3},
                 {"high", box.high}});
  boxes.push_back(std::move(record));
  for (const double time : box.outliers) {
    Json point = fields;
    point["time"] = time;
    outliers.push_back(std::move(point));
  }
}

Json points_layer(const Json& outliers) {
  Json layer = Json::parse(R"json({
    "mark": {"type": "point", "size": 14, "filled": true, "opacity": 0.7},
    "encoding": {"y": {"field": "time", "type": "quantitative"},
                 "tooltip": [{"field": "value"}, {"field": "time", "title": "time (µs)", "format": ",.3f"}]}
  })json");
  layer["mark"]["color"] = palette::kInk;
  layer["data"] = {{"values", outliers}};
  return layer;
}

/// Boxes over the field `value`, beside each other where there are several runs.
Json box_panel(const Json& boxes, const Json& outliers, const std::string& axis, const std::vector<std::string>& values,
               const std::vector<std::string>& runs) {
  Json panel = Json::parse(R"json({
    "encoding": {
      "x": {"field": "value", "type": "nominal", "axis": {"labelAngle": 0, "labelOverlap": true}},
      "tooltip": [{"field": "value"}, {"field": "calls"},
                  {"field": "high", "title": "upper whisker (µs)", "format": ",.3f"},
                  {"field": "q3", "title": "upper quartile (µs)", "format": ",.3f"},
                  {"field": "median", "title": "median (µs)", "format": ",.3f"},
                  {"field": "q1", "title": "lower quartile (µs)", "format": ",.3f"},
                  {"field": "low", "title": "lower whisker (µs)", "format": ",.3f"}]
    },
    "layer": [
      {"mark": {"type": "rule", "strokeWidth": 1.5},
       "encoding": {"y": {"field": "low", "type": "quantitative", "title": "time of a call (µs)",
                          "scale": {"zero": false}}, "y2": {"field": "high"}}},
      {"mark": {"type": "bar", "width": {"band": 0.6}},
       "encoding": {"y": {"field": "q1", "type": "quantitative"}, "y2": {"field": "q3"}}},
      {"mark": {"type": "tick", "thickness": 2.5, "width": {"band": 0.6}},
       "encoding": {"y": {"field": "median", "type": "quantitative"}}}
    ]
  })json");
  panel["data"] = {{"values", boxes}};
  panel["width"] = kBoxWidth;
  panel["height"] = kBoxHeight;
  panel["encoding"]["x"]["title"] = axis;
  panel["encoding"]["x"]["scale"] = {{"domain", values}};
  panel["layer"][0]["mark"]["color"] = palette::kInk;
  panel["layer"][1]["mark"]["color"] = palette::kSkyBlue;
  panel["layer"][2]["mark"]["color"] = palette::kInk;
  if (!outliers.empty()) panel["layer"].push_back(points_layer(outliers));
  if (runs.empty()) return panel;
  // Bars whose width is a part of an offset's band stand beside its middle: whole bands, with space between them.
  panel["encoding"]["xOffset"] = {{"field", kRunAxis}, {"sort", runs}, {"scale", {{"paddingInner", 0.35}}}};
  for (const int layer : {1, 2}) panel["layer"][layer]["mark"]["width"] = {{"band", 1}};
  panel["layer"][1]["encoding"]["color"] = {
      {"field", kRunAxis}, {"type", "nominal"}, {"title", nullptr}, {"scale", colour_scale(runs)}};
  Json tooltip = Json::array({{{"field", kRunAxis}}});
  for (const Json& line : panel["encoding"]["tooltip"]) tooltip.push_back(line);
  panel["encoding"]["tooltip"] = std::move(tooltip);
  return panel;
}

/// Of the calls at one value of the axis; where there is none, of all.
std::vector<double> times_at(const GemmTimes& times, std::size_t gemm, const GemmAxis* axis, const std::string& value,
                             const std::string& run) {
  std::vector<std::pair<std::string, std::string>> places;
  if (axis != nullptr) places.emplace_back(axis->name, value);
  if (!run.empty()) places.emplace_back(kRunAxis, run);
  return times.times(gemm, places);
}

}  // namespace

Figure gemm_box_figure(const GemmTimes& times, const GemmAxis* axis, const std::string& source) {
  const std::string title = "Times of GEMM calls" + (axis == nullptr ? "" : " over " + axis->name);
  const std::string name = axis == nullptr ? "" : axis->name;
  const std::vector<std::string> values = axis == nullptr ? std::vector<std::string>{"all calls"} : axis->values;
  const std::vector<std::string> runs = times.runs();
  std::vector<Json> panels;
  for (std::size_t gemm = 0; gemm < times.gemms.size(); ++gemm) {
    Json boxes = Json::array();
    Json outliers = Json::array();
    for (const std::string& value : values) {
      if (runs.empty()) add_box(boxes, outliers, {{"value", value}}, times_at(times, gemm, axis, value, ""));
      for (const std::string& run : runs) {
        add_box(boxes, outliers, {{"value", value}, {kRunAxis, run}}, times_at(times, gemm, axis, value, run));
      }
    }
    panels.push_back(box_panel(boxes, outliers, name, values, runs));
  }
  Json spec = panels_of_gemms(times, std::move(panels));
  spec["title"] = figure_title(title, source, gemm_notes(times, kBoxNote));
  return {"gemm_times" + (axis == nullptr ? "" : "_over_" + file_word(name)), title, std::move(spec)};
}

}  // namespace kernbench::traces
