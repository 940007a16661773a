#include "benches/results/figures/prediction_panels.hpp"

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

/// Points over the measured time, of the field `y`, upon `below`.
Json panels_of(const PredictionPanels& panels, Json below, Json y) {
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 3, "spacing": 24,
    "facet": {"field": "panel", "type": "nominal", "title": null},
    "spec": {
      "width": 235, "height": 200,
      "layer": [
        {},
        {"mark": {"type": "point", "filled": true, "size": 26, "opacity": 0.75, "clip": true},
         "encoding": {
           "x": {"field": "measured_us", "type": "quantitative", "title": "measured (µs, log scale)",
                 "scale": {"type": "log", "nice": false}, "axis": {"values": [1, 10, 100, 1000, 10000, 100000], "format": ",~r"}},
           "color": {"field": "series", "type": "nominal", "title": null}}}
      ]
    }
  })json");
  spec["facet"]["sort"] = panels.panels;
  spec["data"] = {{"values", panels.records}};
  spec["config"] = figure_config();
  below["mark"]["color"] = palette::kGrey;
  spec["spec"]["layer"][0] = std::move(below);
  Json& encoding = spec["spec"]["layer"][1]["encoding"];
  encoding["x"]["scale"]["domain"] = {panels.least_us, panels.most_us};
  y["type"] = "quantitative";
  encoding["y"] = std::move(y);
  Json colours{{"domain", Json::array()}, {"range", Json::array()}};
  for (const auto& [name, colour] : panels.series) {
    colours["domain"].push_back(name);
    colours["range"].push_back(colour);
  }
  encoding["color"]["scale"] = std::move(colours);
  encoding["tooltip"] = panels.tooltip;
  for (const Json& field : Json::parse(R"json([{"field": "measured_us", "title": "measured (µs)", "format": ",.4r"},
                                               {"field": "predicted_us", "title": "predicted (µs)", "format": ",.4r"},
                                               {"field": "error", "format": "+.1%"}])json")) {
    encoding["tooltip"].push_back(field);
  }
  return spec;
}

Figure against_measured(const PredictionPanels& panels, const Results& predicted) {
  constexpr double kNear = 0.1;
  Json band = Json::parse(R"json({
    "data": {"values": []},
    "mark": {"type": "area", "opacity": 0.25, "clip": true},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "low", "type": "quantitative"},
                 "y2": {"field": "high"}}
  })json");
  for (const double x : {panels.least_us, panels.most_us}) {
    band["data"]["values"].push_back({{"x", x}, {"low", x * (1 - kNear)}, {"high", x * (1 + kNear)}});
  }
  Json spec = panels_of(panels, std::move(band),
                        {{"field", "predicted_us"},
                         {"title", "predicted (µs, log scale)"},
                         {"scale", {{"type", "log"}, {"domain", {panels.least_us, panels.most_us}}, {"nice", false}}},
                         {"axis", {{"values", {1, 10, 100, 1000, 10000, 100000}}, {"format", ",~r"}}}});
  const std::string title = panels.what + ": predicted against measured";
  spec["title"] = figure_title(title, predicted, {"Grey: within 10 %.", panels.left_out});
  return {panels.named + "predicted_against_measured", title, std::move(spec)};
}

Figure errors_over_time(const PredictionPanels& panels, const Results& predicted) {
  Json spec = panels_of(panels, Json::parse(R"json({
    "data": {"values": [{"y": 0.1}, {"y": 0}, {"y": -0.1}]},
    "mark": {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1},
    "encoding": {"y": {"field": "y", "type": "quantitative"}}
  })json"),
                        Json::parse(R"json({"field": "shown", "title": "error of the prediction",
    "scale": {"domain": [-0.4, 0.4]}, "axis": {"format": "+.0%", "values": [-0.4, -0.2, 0, 0.2, 0.4]}})json"));
  spec["spec"]["layer"][1]["encoding"]["shape"] = Json::parse(R"json({
    "field": "beyond", "type": "nominal", "legend": null,
    "scale": {"domain": ["no", "yes"], "range": ["circle", "triangle-up"]}})json");
  spec["transform"] = Json::parse(R"json([
    {"calculate": "clamp(datum.error, -0.39, 0.39)", "as": "shown"},
    {"calculate": "abs(datum.error) > 0.39 ? 'yes' : 'no'", "as": "beyond"}])json");
  const std::string title = panels.what + ": error of the prediction over the time";
  spec["title"] = figure_title(
      title, predicted,
      {"Above zero: predicted to take longer than it did. Triangles at the edges are beyond them. Dashed: ±10 %.",
       panels.left_out});
  return {panels.named + "error_over_time", title, std::move(spec)};
}

}  // namespace

void add_times(Json& record, const Row& row) {
  record["measured_us"] = row.metrics.at(kMeasuredTime) / 1e3;
  record["predicted_us"] = row.metrics.at(kTime) / 1e3;
  record["error"] = row.metrics.at(kError);
}

std::vector<Figure> prediction_figures(const PredictionPanels& panels, const Results& predicted) {
  if (panels.records.empty()) return {};
  return {against_measured(panels, predicted), errors_over_time(panels, predicted)};
}

}  // namespace kernbench
