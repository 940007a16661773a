#include "benches/gpu_predicted_operators/case_figures.hpp"

#include <algorithm>

#include "benches/gpu_predicted_operators/case_errors.hpp"
#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/rows.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/harness/text/numbers.hpp"

namespace kernbench {
namespace {

const Json kKinds{"layernorm", "gelu", "swish", "mse", "cross_entropy", "copies"};

Json case_record(const Row& row) {
  const bool copy = row.point.contains("copy");
  std::string what;
  for (const auto& [name, value] : row.point.items()) {
    what += (what.empty() ? "" : " ") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return {{"kind", copy ? Json("copies") : row.point.at("operation")},
          {"rows", copy ? std::string("copies")
                        : row.point.at("dtype").get<std::string>() + ", L2 " + row.point.at("l2").get<std::string>()},
          {"what", what},
          {"predicted_us", row.metrics.at("time_ns").get<double>() / 1e3},
          {"measured_us", row.metrics.at("measured_ns").get<double>() / 1e3},
          {"error", row.metrics.at("error")}};
}

Json case_panels(const char* y, const char* title) {
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 3, "spacing": 24,
    "facet": {"field": "kind", "type": "nominal", "title": null},
    "spec": {
      "width": 235, "height": 200,
      "layer": [
        {},
        {"mark": {"type": "point", "filled": true, "size": 26, "opacity": 0.75, "clip": true},
         "encoding": {
           "x": {"field": "measured_us", "type": "quantitative", "title": "measured (µs, log scale)",
                 "scale": {"type": "log", "domain": [0.8, 30000], "nice": false},
                 "axis": {"values": [1, 10, 100, 1000, 10000], "format": ",~r"}},
           "y": {"type": "quantitative"},
           "color": {"field": "rows", "type": "nominal", "title": null},
           "tooltip": [
             {"field": "what", "title": "row"},
             {"field": "measured_us", "title": "measured (µs)", "format": ",.4r"},
             {"field": "predicted_us", "title": "predicted (µs)", "format": ",.4r"},
             {"field": "error", "format": "+.1%"}]}}
      ]
    }
  })json");
  Json& encoding = spec["spec"]["layer"][1]["encoding"];
  encoding["y"]["field"] = y;
  encoding["y"]["title"] = title;
  encoding["color"]["scale"] = {
      {"domain", {"bf16, L2 warm", "bf16, L2 flushed", "fp32, L2 warm", "fp32, L2 flushed", "copies"}},
      {"range", {palette::kOrange, palette::kBlue, palette::kPaleVermillion, palette::kGreen, palette::kPurple}}};
  spec["facet"]["sort"] = kKinds;
  spec["config"] = figure_config();
  return spec;
}

Figure case_times(const Results& predicted, const Json& records) {
  Json spec = case_panels("predicted_us", "predicted (µs, log scale)");
  Json& y = spec["spec"]["layer"][1]["encoding"]["y"];
  y["scale"] = {{"type", "log"}, {"domain", {0.8, 30000}}, {"nice", false}};
  y["axis"] = {{"values", {1, 10, 100, 1000, 10000}}, {"format", ",~r"}};
  spec["spec"]["layer"][0] = Json::parse(R"json({
    "data": {"values": [{"x": 0.8, "low": 0.72, "high": 0.88}, {"x": 30000, "low": 27000, "high": 33000}]},
    "mark": {"type": "area", "opacity": 0.25, "clip": true},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "low", "type": "quantitative"},
                 "y2": {"field": "high"}}
  })json");
  spec["spec"]["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["data"] = {{"values", records}};
  const std::string title = "Operators and copies: predicted against measured";
  spec["title"] = figure_title(title, predicted,
                               {"Operators of PyTorch in CUDA graphs. Grey: within 10 %. Copies that the machine was "
                                "fitted to are left out."});
  return {"operators_predicted_against_measured", title, std::move(spec)};
}

Figure case_errors_over_size(const Results& predicted, const Json& records) {
  Json spec = case_panels("shown", "error of the prediction");
  Json& y = spec["spec"]["layer"][1]["encoding"]["y"];
  y["scale"] = {{"domain", {-0.4, 0.4}}};
  y["axis"] = {{"format", "+.0%"}, {"values", {-0.4, -0.2, 0, 0.2, 0.4}}};
  spec["spec"]["layer"][0] = Json::parse(R"json({
    "data": {"values": [{"y": 0.1}, {"y": 0}, {"y": -0.1}]},
    "mark": {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1},
    "encoding": {"y": {"field": "y", "type": "quantitative"}}
  })json");
  spec["spec"]["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["spec"]["layer"][1]["encoding"]["shape"] = Json::parse(R"json({
    "field": "beyond", "type": "nominal", "legend": null,
    "scale": {"domain": ["no", "yes"], "range": ["circle", "triangle-up"]}})json");
  spec["data"] = {{"values", records}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "clamp(datum.error, -0.39, 0.39)", "as": "shown"},
    {"calculate": "abs(datum.error) > 0.39 ? 'yes' : 'no'", "as": "beyond"}])json");
  const std::string title = "Operators and copies: error of the prediction over the time";
  spec["title"] = figure_title(
      title, predicted,
      {"Above zero: predicted to take longer than it did. Triangles at the edges are beyond them. Dashed: ±10 %."});
  return {"operators_error_over_size", title, std::move(spec)};
}

}  // namespace

std::vector<Figure> predicted_case_figures(const Results& predicted, const Results& /*theory*/) {
  Json records = Json::array();
  for (const Row& row : predicted.rows) {
    if (is_counted_case(row)) records.push_back(case_record(row));
  }
  if (records.empty()) return {};
  return {case_times(predicted, records), case_errors_over_size(predicted, records)};
}

std::string predicted_case_headline(const Results& predicted, const Results& /*theory*/) {
  std::string text;
  for (const char* of : {"operators but cross_entropy", "cross_entropy", "peer"}) {
    const std::vector<const Row*> rows = rows_where(predicted, {{"derived", "error"}, {"of", of}});
    if (rows.empty()) continue;
    text += (text.empty() ? "Mean error: " : ", ") + std::string(of) + " " +
            percent(rows.front()->metrics.at("mean").get<double>());
  }
  return text.empty() ? "" : text + "; of rows that the machine was not fitted to.";
}

}  // namespace kernbench
