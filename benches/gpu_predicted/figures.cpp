#include "benches/gpu_predicted/figures.hpp"

#include <algorithm>

#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/rows.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/harness/text/numbers.hpp"

namespace kernbench {
namespace {

constexpr const char* kSchema = "https://vega.github.io/schema/vega-lite/v6.json";

bool is_counted(const Row& row) {
  return row.status == "ok" && row.metrics.contains("error") &&
         std::ranges::find(row.flags, "fitted") == row.flags.end();
}

bool is_ragged(const Row& row) { return std::ranges::find(row.flags, "ragged") != row.flags.end(); }

std::string shape_of(const Row& row) {
  return row.point.at("m").dump() + "×" + row.point.at("k").dump() + "×" + row.point.at("n").dump();
}

/// A record a product that is counted.
Json records_of(const Results& predicted) {
  Json records = Json::array();
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    records.push_back(
        {{"dtype", row.point.at("dtype")},
         {"l2", row.point.at("l2")},
         {"rows", is_ragged(row) ? "rows of no 16-byte multiple" : "L2 " + row.point.at("l2").get<std::string>()},
         {"shape", shape_of(row)},
         {"predicted_us", row.metrics.at("time_ns").get<double>() / 1e3},
         {"measured_us", row.metrics.at("measured_ns").get<double>() / 1e3},
         {"error", row.metrics.at("error")},
         {"kernel", row.metrics.at("kernel")},
         {"state", row.metrics.at("state")}});
  }
  return records;
}

Json tooltip() {
  return Json::parse(R"json([
    {"field": "shape", "title": "M×K×N"}, {"field": "dtype"}, {"field": "rows"}, {"field": "state"}, {"field": "kernel"},
    {"field": "measured_us", "title": "measured (µs)", "format": ",.4r"},
    {"field": "predicted_us", "title": "predicted (µs)", "format": ",.4r"},
    {"field": "error", "format": "+.1%"}
  ])json");
}

Json row_colours() {
  return {{"domain", {"L2 warm", "L2 flushed", "rows of no 16-byte multiple"}},
          {"range", {palette::kOrange, palette::kBlue, palette::kPurple}}};
}

Figure framed(const std::string& name, const std::string& title, Json spec, const Results& predicted,
              const std::vector<std::string>& notes) {
  spec["$schema"] = kSchema;
  spec["title"] = figure_title(title, predicted, notes);
  spec["config"] = figure_config();
  return {name, title, std::move(spec)};
}

const std::vector<std::string>& dtypes() {
  static const std::vector<std::string> kDtypes{"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"};
  return kDtypes;
}

/// A panel a dtype.
Json faceted(const Json& records, int columns) {
  return {{"columns", columns},
          {"spacing", 24},
          {"data", {{"values", records}}},
          {"facet", {{"field", "dtype"}, {"type", "nominal"}, {"title", nullptr}, {"sort", dtypes()}}}};
}

std::string device_text(const Results& predicted) {
  const auto row = std::ranges::find_if(predicted.rows, is_counted);
  return row == predicted.rows.end() ? "" : row->metrics.at("device").get<std::string>();
}

Figure against_measured(const Results& predicted, const Json& records) {
  Json spec = faceted(records, 3);
  spec["spec"] = Json::parse(R"json({
    "width": 235, "height": 235,
    "layer": [
      {"data": {"values": [{"x": 2, "low": 1.8, "y": 2, "high": 2.2}, {"x": 20000, "low": 18000, "y": 20000, "high": 22000}]},
       "mark": {"type": "area", "opacity": 0.25},
       "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
      {"mark": {"type": "point", "filled": true, "size": 24, "opacity": 0.75},
       "encoding": {
         "x": {"field": "measured_us", "type": "quantitative", "title": "measured (µs, log scale)",
               "scale": {"type": "log", "domain": [2, 20000], "nice": false}, "axis": {"values": [10, 100, 1000, 10000], "format": ",~r"}},
         "y": {"field": "predicted_us", "type": "quantitative", "title": "predicted (µs, log scale)",
               "scale": {"type": "log", "domain": [2, 20000], "nice": false}, "axis": {"values": [10, 100, 1000, 10000], "format": ",~r"}},
         "color": {"field": "rows", "type": "nominal", "title": null}}}
    ]
  })json");
  spec["spec"]["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["spec"]["layer"][1]["encoding"]["color"]["scale"] = row_colours();
  spec["spec"]["layer"][1]["encoding"]["tooltip"] = tooltip();
  return framed("predicted_against_measured", "Products on " + device_text(predicted) + ": predicted against measured",
                std::move(spec), predicted,
                {"Grey: within 10 %. Products that the machine was fitted to are left out."});
}

Figure over_size(const Results& predicted, const Json& records) {
  Json spec = faceted(records, 2);
  spec["spec"] = Json::parse(R"json({
    "width": 360, "height": 170,
    "layer": [
      {"data": {"values": [{"y": 0.1}, {"y": 0}, {"y": -0.1}]},
       "mark": {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1},
       "encoding": {"y": {"field": "y", "type": "quantitative"}}},
      {"mark": {"type": "point", "filled": true, "size": 24, "opacity": 0.75, "clip": true},
       "encoding": {
         "x": {"field": "measured_us", "type": "quantitative", "title": "measured (µs, log scale)",
               "scale": {"type": "log", "domain": [2, 20000], "nice": false}, "axis": {"values": [10, 100, 1000, 10000], "format": ",~r"}},
         "y": {"field": "shown", "type": "quantitative", "title": "error of the prediction",
               "scale": {"domain": [-0.4, 0.4]}, "axis": {"format": "+.0%", "values": [-0.4, -0.2, 0, 0.2, 0.4]}},
         "color": {"field": "rows", "type": "nominal", "title": null},
         "shape": {"field": "beyond", "type": "nominal", "legend": null,
                   "scale": {"domain": ["no", "yes"], "range": ["circle", "triangle-up"]}}}}
    ]
  })json");
  spec["transform"] = Json::parse(R"json([
    {"calculate": "clamp(datum.error, -0.39, 0.39)", "as": "shown"},
    {"calculate": "abs(datum.error) > 0.39 ? 'yes' : 'no'", "as": "beyond"}])json");
  spec["spec"]["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["spec"]["layer"][1]["encoding"]["color"]["scale"] = row_colours();
  spec["spec"]["layer"][1]["encoding"]["tooltip"] = tooltip();
  return framed(
      "error_over_size", "Error of the prediction over the size of the product", std::move(spec), predicted,
      {"Above zero: predicted to take longer than it did. Triangles at the edges are beyond them. Dashed: ±10 %."});
}

/// Bars of mean errors: this model, trees that learned from other shapes, the roofline.
Figure beside_others(const Results& predicted) {
  Json records = Json::array();
  for (const Row& row : predicted.rows) {
    if (row.point.value("derived", "") != "error") continue;
    const std::string of = row.point.at("of");
    if (std::ranges::find(dtypes(), of) == dtypes().end()) continue;
    const auto add = [&](const char* metric, const char* model) {
      if (row.metrics.contains(metric)) {
        records.push_back({{"dtype", of}, {"model", model}, {"mean", row.metrics.at(metric)}});
      }
    };
    add("mean", "simulated GPU");
    add("trees_mean", "trees, other shapes");
    add("roofline_mean", "roofline");
  }
  Json spec = Json::parse(R"json({
    "width": 480, "height": {"step": 17},
    "encoding": {
      "y": {"field": "dtype", "type": "nominal", "title": null, "axis": {"grid": false, "ticks": false, "domain": false}},
      "yOffset": {"field": "model", "type": "nominal"},
      "x": {"field": "mean", "type": "quantitative", "title": "mean error", "axis": {"format": ".0%"}}
    },
    "layer": [
      {"mark": {"type": "bar"}, "encoding": {"color": {"field": "model", "type": "nominal", "title": null}}},
      {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"text": {"field": "mean", "format": ".1%"}}}
    ]
  })json");
  const Json models{"simulated GPU", "trees, other shapes", "roofline"};
  spec["data"] = {{"values", std::move(records)}};
  spec["encoding"]["y"]["sort"] = dtypes();
  spec["encoding"]["yOffset"]["sort"] = models;
  spec["layer"][0]["encoding"]["color"]["scale"] = {{"domain", models},
                                                    {"range", {palette::kBlue, palette::kOrange, palette::kPaleGrey}}};
  return framed("errors_beside_others", "Mean error on the same products: simulated, learned, roofline",
                std::move(spec), predicted,
                {"Products whose rows are multiples of 16 bytes, L2 warm and flushed. Trees: trained on groups of "
                 "other shapes."});
}

}  // namespace

std::vector<Figure> gpu_predicted_figures(const Results& predicted, const Results& /*theory*/) {
  const Json records = records_of(predicted);
  if (records.empty()) return {};
  std::vector<Figure> figures{against_measured(predicted, records), over_size(predicted, records)};
  if (!rows_where(predicted, {{"derived", "error"}}).empty()) figures.push_back(beside_others(predicted));
  return figures;
}

std::string gpu_predicted_headline(const Results& predicted, const Results& /*theory*/) {
  std::string text;
  for (const std::string& dtype : dtypes()) {
    const std::vector<const Row*> rows = rows_where(predicted, {{"derived", "error"}, {"of", dtype}});
    if (rows.empty()) continue;
    const Json& metrics = rows.front()->metrics;
    text += (text.empty() ? "Mean error on " + device_text(predicted) + ": " : ", ") + dtype + " " +
            percent(metrics.at("mean").get<double>());
  }
  return text.empty() ? "" : text + "; of products that the machine was not fitted to.";
}

}  // namespace kernbench
