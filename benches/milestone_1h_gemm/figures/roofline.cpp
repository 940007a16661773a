// Rooflines of the HBM and of the fetch out of TCM: what each bandwidth feeds at a point's arithmetic intensity, under
// the array's peak (ADR-0011, 11.14).
#include <algorithm>
#include <cmath>
#include <utility>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// A memory's roof, and how its panel finds the intensity of a point in the data.
struct Roof {
  std::string memory;     ///< "HBM"
  std::string intensity;  ///< the field, a ratio that the specification works out
  std::string moved;      ///< its divisor, in the data's fields
  Bandwidth bandwidth;
};

Json fetched_bytes(const Row& row) {
  if (row.status != "ok") return nullptr;
  std::int64_t bytes = 0;
  for (const StageRow& stage : row.stages) bytes += stage.stage == "fetch" ? stage.bytes : 0;
  return bytes;
}

/// One record a point.
Json roofline_records(const Results& sim) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    Json record = point_record(row);
    for (const char* name : {"tflops", "time_ns", "useful_macs", "hbm_read_bytes", "hbm_written_bytes"}) {
      record[name] = metric(&row, name);
    }
    record["fetched_bytes"] = fetched_bytes(row);
    records.push_back(std::move(record));
  }
  return records;
}

/// From half the smallest to twice the largest of what a logarithmic axis has to show.
struct Span {
  double least;
  double most;

  explicit Span(double value) : least(value / 2), most(value * 2) {}
  void take_in(double value) {
    if (!(value > 0)) return;
    least = std::min(least, value / 2);
    most = std::max(most, value * 2);
  }
};

double number(const Json& record, const char* field) {
  const Json& value = record.at(field);
  return value.is_number() ? value.get<double>() : 0;
}

struct Spans {
  Span intensity;
  Span tflops;
};

/// Both panels have the same axes, so that a point stands equally high in both.
Spans spans_of(const Json& records, const std::vector<Roof>& roofs, double peak_tflops) {
  Spans spans{Span(1000 * peak_tflops / roofs.front().bandwidth.gbs()), Span(peak_tflops)};
  for (const Roof& roof : roofs) spans.intensity.take_in(1000 * peak_tflops / roof.bandwidth.gbs());
  for (const Json& record : records) {
    const double flop = 2 * number(record, "useful_macs");
    const double bytes = number(record, "hbm_read_bytes") + number(record, "hbm_written_bytes");
    if (bytes > 0) spans.intensity.take_in(flop / bytes);
    if (number(record, "fetched_bytes") > 0) spans.intensity.take_in(flop / number(record, "fetched_bytes"));
    spans.tflops.take_in(number(record, "tflops"));
  }
  spans.intensity.least /= 4;  // room for the roof's name
  return spans;
}

/// 1, 2, 5, 10 ... on a logarithmic axis, all of them with their numbers: an axis spans two decades or so.
Json axis_of(const Span& span) {
  Json values = Json::array();
  for (double decade = 1e-6; decade < 1e9; decade *= 10) {
    for (const int step : {1, 2, 5}) {
      if (step * decade >= span.least && step * decade <= span.most) values.push_back(step * decade);
    }
  }
  return {{"values", std::move(values)}, {"format", "~r"}};
}

/// Roof and ceiling, their names, and the ridge point at which they meet.
Json roof_layers(const Roof& roof, const Spans& spans, double peak_tflops) {
  const double tflops_at_one = roof.bandwidth.gbs() / 1000;  // FLOP/byte x GB/s
  const double ridge = peak_tflops / tflops_at_one;
  const auto at = [](double intensity, double tflops) { return Json{{"intensity", intensity}, {"tflops", tflops}}; };
  const double least = std::max(spans.intensity.least, spans.tflops.least / tflops_at_one);
  const double label = least * std::pow(ridge / least, 0.6);  // a little above the middle of the slope
  const std::string bandwidth = format_quantity(roof.bandwidth.bytes_per_second, Dimension::kBandwidth);
  Json layers = Json::parse(R"json([
    {"mark": {"type": "line", "strokeWidth": 2, "clip": true}},
    {"mark": {"type": "rule", "strokeDash": [3, 4]}},
    {"mark": {"type": "text", "align": "right", "dx": -8, "dy": -4}},
    {"mark": {"type": "text", "align": "right", "baseline": "bottom", "dx": -4, "dy": -4}},
    {"mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 5}}
  ])json");
  const std::vector<Json> values{{at(spans.intensity.least, spans.intensity.least * tflops_at_one),
                                  at(ridge, peak_tflops), at(spans.intensity.most, peak_tflops)},
                                 {at(ridge, peak_tflops)},
                                 {at(label, label * tflops_at_one)},
                                 {at(spans.intensity.most, peak_tflops)},
                                 {at(ridge, spans.tflops.least)}};
  const std::vector<std::string> texts{"", "", roof.memory + " " + bandwidth,
                                       "peak " + formatted("%.4g TFLOPS", peak_tflops),
                                       "ridge " + formatted("%.4g FLOP/byte", ridge)};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Json& layer = layers[i];
    layer["data"] = {{"values", values[i]}};
    layer["encoding"] = {{"x", {{"field", "intensity"}, {"type", "quantitative"}}},
                         {"y", {{"field", "tflops"}, {"type", "quantitative"}}}};
    if (texts[i].empty()) {
      layer["mark"]["color"] = palette::kInk;
    } else {
      layer["mark"]["text"] = texts[i];
    }
  }
  layers[1]["encoding"]["y2"] = {{"value", "height"}};
  return layers;
}

Json points_layer(const Roof& roof, const Results& sim, const Spans& spans) {
  Json layer = Json::parse(R"json({
    "mark": {"type": "point", "filled": true},
    "encoding": {
      "x": {"type": "quantitative"},
      "y": {"field": "tflops", "type": "quantitative"},
      "color": {"field": "variant", "type": "nominal", "title": null, "legend": {"symbolType": "square"}},
      "shape": {"field": "shape", "type": "nominal", "title": null, "legend": {"columns": 4, "symbolSize": 90}},
      "tooltip": [
        {"field": "shape", "title": "M×K×N"}, {"field": "variant"},
        {"field": "tflops", "title": "TFLOPS", "format": ".4~g"},
        {"field": "time_ns", "title": "PE window (ns)", "format": ","},
        {"field": "hbm_intensity", "title": "FLOP per HBM byte", "format": ".4~g"},
        {"field": "fetch_intensity", "title": "FLOP per byte fetched from TCM", "format": ".4~g"}]
    }
  })json");
  const std::vector<std::string> variants = axis_values(sim, "variant");
  Json& encoding = layer["encoding"];
  Json& x = encoding["x"];
  x["field"] = roof.intensity;
  x["title"] = "FLOP per byte " + roof.moved + " (log scale)";
  x["scale"] = {{"type", "log"}, {"nice", false}, {"domain", {spans.intensity.least, spans.intensity.most}}};
  x["axis"] = axis_of(spans.intensity);
  Json& y = encoding["y"];
  y["title"] = "TFLOPS (log scale)";
  y["scale"] = {{"type", "log"}, {"nice", false}, {"domain", {spans.tflops.least, spans.tflops.most}}};
  y["axis"] = axis_of(spans.tflops);
  encoding["color"]["scale"] = {{"domain", variants},
                                {"range", {palette::kBlue, palette::kOrange, palette::kGreen, palette::kPurple}}};
  // Marks of variants that stand at the same place lie inside each other.
  encoding["size"] = {{"condition", Json::array()}, {"value", 35}};
  for (std::size_t i = 0; i + 1 < variants.size(); ++i) {
    encoding["size"]["condition"].push_back(
        {{"test", {{"field", "variant"}, {"equal", variants[i]}}}, {"value", 190 - 60 * static_cast<int>(i)}});
  }
  encoding["shape"]["scale"] = {
      {"domain", shape_labels(sim)},
      {"range",
       {"circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "triangle-right", "triangle-left"}}};
  encoding["opacity"] = if_selected();
  return layer;
}

}  // namespace

Figure roofline(const Results& sim, const MachineSpec& machine) {
  const std::string title = "Roofline: FLOP/s by arithmetic intensity";
  const double peak_tflops = machine.pe.peak_tflops();
  const std::vector<Roof> roofs{{"HBM", "hbm_intensity", "read from or written to HBM", machine.die.hbm.bandwidth},
                                {"TCM", "fetch_intensity", "fetched from TCM into the array", machine.pe.fetch}};
  const Json records = roofline_records(sim);
  const Spans spans = spans_of(records, roofs, peak_tflops);
  std::vector<const Row*> rows;
  for (const Row& row : sim.rows) rows.push_back(&row);
  std::vector<std::string> notes = with_under_tile_note(
      sim,
      "A roof is what its bandwidth feeds at that intensity, up to the array's peak; left of the ridge a point is "
      "memory-bound.");
  for (std::string& note : failed_note(rows)) notes.push_back(std::move(note));
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"spacing", 24}};
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "2 * datum.useful_macs / (datum.hbm_read_bytes + datum.hbm_written_bytes)", "as": "hbm_intensity"},
    {"calculate": "2 * datum.useful_macs / datum.fetched_bytes", "as": "fetch_intensity"},
    {"filter": "isValid(datum.tflops)"}
  ])json");
  spec["hconcat"] = Json::array();
  for (const Roof& roof : roofs) {
    Json layers = roof_layers(roof, spans, peak_tflops);
    layers.push_back(points_layer(roof, sim, spans));
    spec["hconcat"].push_back({{"width", 355}, {"height", 330}, {"layer", std::move(layers)}});
  }
  spec["hconcat"][0]["layer"].back()["params"] = Json::array({legend_selection("variant")});
  spec["hconcat"][1]["layer"].back()["encoding"]["y"]["title"] = nullptr;
  return {"roofline", title, std::move(spec)};
}

}  // namespace kernbench
