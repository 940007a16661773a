#include "benches/universal_gemm/figures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/statistics/rank_correlation.hpp"
#include "benches/universal_gemm/figures/cases.hpp"
#include "benches/universal_gemm/figures/groups.hpp"
#include "benches/universal_gemm/method_choice.hpp"

namespace kernbench {
namespace {

constexpr const char* kSchema = "https://vega.github.io/schema/vega-lite/v6.json";
constexpr int kColumns = 4;

Json records_of(const Results& results) {
  Json records = Json::array();
  for (const Row& row : results.rows) records.push_back(simulated_record(row));
  return records;
}

/// Has it show what the page's buttons show (11.22).
void follow_toggles(Json& spec) {
  spec["params"] = toggled_params();
  spec["transform"] = Json::array({if_toggled(toggled_fields())});
}

/// A panel a shape, in the order of the records.
Json panels(Json layers, Json records, const Results& results, const std::string& title,
            const std::vector<std::string>& notes) {
  Json shapes = Json::array();
  for (const Json& record : records) {
    if (std::ranges::find(shapes, record.at("shape")) == shapes.end()) shapes.push_back(record.at("shape"));
  }
  Json spec{{"$schema", kSchema},
            {"facet", {{"field", "shape"}, {"type", "nominal"}, {"title", nullptr}, {"sort", std::move(shapes)}}},
            {"columns", kColumns},
            {"spec", std::move(layers)}};
  spec["title"] = figure_title(title, results, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  follow_toggles(spec);
  return spec;
}

Figure methods(const Results& sim) {
  const std::string title = "Share of all devices' peak by method, partitions and replication, simulated";
  Json layers = Json::parse(R"json({
    "width": 150, "height": 190,
    "encoding": {"y": {"field": "layout", "type": "nominal", "title": null, "sort": null},
                 "yOffset": {"field": "method"},
                 "color": {"field": "method", "type": "nominal", "title": null}},
    "layer": [
      {"mark": {"type": "tick", "thickness": 2, "size": 9, "clip": true},
       "encoding": {"x": {"field": "bound_fraction", "type": "quantitative"}, "opacity": {"value": 0.45}}},
      {"mark": {"type": "point", "filled": true, "size": 42}, "params": [],
       "encoding": {"x": {"field": "peak_fraction", "type": "quantitative", "title": "share of peak",
                          "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "tickCount": 3}},
                    "tooltip": [{"field": "shape", "title": "M×K×N"}, {"field": "method"}, {"field": "layout"},
                                {"field": "peak_fraction", "title": "share of peak", "format": ".1%"},
                                {"field": "tflops", "title": "TFLOPS", "format": ".4~g"},
                                {"field": "time_ns", "title": "time (ns)", "format": ",.0f"},
                                {"field": "bound_ns", "title": "bound (ns)", "format": ",.0f"},
                                {"field": "bound_bottleneck", "title": "bound by"},
                                {"field": "received_bytes", "title": "most received by a device (B)", "format": ","},
                                {"field": "exposed_ns", "title": "exposed copies (ns)", "format": ",.0f"}]}}
    ]
  })json");
  layers["encoding"]["color"]["scale"] = method_colours(axis_values(sim, "method"));
  layers["layer"][1]["params"] = Json::array({legend_selection("method")});
  layers["layer"][1]["encoding"]["opacity"] = if_selected();
  Json spec = panels(
      std::move(layers), records_of(sim), sim, title,
      {kReplicas, "A tick: no run is faster, for the arrays, the busiest link or a device's memories (theory)."});
  return {"methods_simulated", title, std::move(spec)};
}

Figure auto_choice(const Results& sim, const std::vector<MethodChoice>& choices) {
  const std::string title = "What it costs to keep the largest matrix still (auto), simulated";
  Json records = Json::array();
  for (const MethodChoice& choice : choices) {
    Json record = simulated_record(*choice.chosen);
    record["loss"] = choice.loss();
    record["fastest"] = choice.fastest->point.at("method");
    record["text"] = choice.loss() > 0 ? "+" + percent(choice.loss()) : "fastest";
    records.push_back(std::move(record));
  }
  Json spec = Json::parse(R"json({
    "width": 640, "height": {"step": 30},
    "encoding": {
      "y": {"field": "shape", "type": "nominal", "title": null, "sort": null},
      "x": {"field": "layout", "type": "nominal", "title": null, "sort": null,
            "axis": {"labelAngle": 0, "ticks": false, "domain": false, "labelExpr": "split(datum.label, ' ')"}},
      "tooltip": [{"field": "shape", "title": "M×K×N"}, {"field": "layout"}, {"field": "method", "title": "auto"},
                  {"field": "fastest"}, {"field": "loss", "title": "longer", "format": ".1%"}]
    },
    "layer": [
      {"mark": {"type": "rect"},
       "encoding": {"color": {"field": "loss", "type": "quantitative", "title": "longer than the fastest",
                              "scale": {"scheme": "oranges", "domainMin": 0, "clamp": true},
                              "legend": {"format": ".0%", "titleLimit": 300}}}},
      {"mark": {"type": "text"}, "encoding": {"text": {"field": "text"}}}
    ]
  })json");
  double most = 0;
  for (const Json& record : records) most = std::max(most, record.at("loss").get<double>());
  const Json on_dark{{"test", "datum.loss > " + formatted("%.6g", 0.6 * most)}, {"value", "white"}};
  spec["layer"][1]["encoding"]["color"] = {{"condition", on_dark}, {"value", palette::kInk}};
  spec["$schema"] = kSchema;
  spec["title"] = figure_title(title, sim, {kReplicas});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  follow_toggles(spec);
  return {"auto_choice_simulated", title, std::move(spec)};
}

std::string two_decimals(double value) { return formatted("%.2f", value); }

Figure ranking(const Results& sim, const Results& measured) {
  const std::string title = "Distributed GEMMs beside " + device_of(measured) + ": shares of each machine's own peak";
  Json records = Json::array();
  std::vector<const Row*> shown;
  std::vector<std::string> shapes;
  std::vector<std::vector<double>> simulated;
  std::vector<std::vector<double>> real;
  for (const Row& row : sim.rows) {
    if (row.status != "ok") continue;
    const Row* beside = measured_row(measured, row);
    if (beside == nullptr) continue;
    shown.push_back(beside);
    const std::string shape = shape_text(row);
    const auto known = std::ranges::find(shapes, shape);
    const auto index = static_cast<std::size_t>(known - shapes.begin());
    if (known == shapes.end()) {
      shapes.push_back(shape);
      simulated.emplace_back();
      real.emplace_back();
    }
    if (row.point.at("method") != "dtensor") {  // which is not the same on both: docs/universal-gemm.md
      simulated[index].push_back(row.metrics.at(kPeakFraction));
      real[index].push_back(beside->metrics.at(kPeakFraction));
    }
    Json record = simulated_record(row);
    record["measured"] = metric(beside, kPeakFraction);
    record["measured_ns"] = metric(beside, kTime);
    records.push_back(std::move(record));
  }
  for (Json& record : records) {
    const auto index =
        static_cast<std::size_t>(std::ranges::find(shapes, record.at("shape").get<std::string>()) - shapes.begin());
    const double agreement = rank_correlation(simulated[index], real[index]);
    if (std::isfinite(agreement)) {
      record["shape"] = record.at("shape").get<std::string>() + ": ρ " + two_decimals(agreement);
    }
  }
  Json layers = Json::parse(R"json({
    "width": 150, "height": 150,
    "layer": [
      {"data": {"values": [{"x": 0.01, "y": 0.01}, {"x": 1, "y": 1}]},
       "mark": {"type": "line", "strokeDash": [3, 4], "strokeWidth": 1},
       "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}},
      {"mark": {"type": "point", "filled": true, "size": 40}, "params": [],
       "encoding": {
         "x": {"field": "measured", "type": "quantitative", "title": "measured",
               "scale": {"type": "log", "domain": [0.01, 1]}, "axis": {"format": "~%", "values": [0.01, 0.1, 1]}},
         "y": {"field": "peak_fraction", "type": "quantitative", "title": "simulated",
               "scale": {"type": "log", "domain": [0.01, 1]}, "axis": {"format": "~%", "values": [0.01, 0.1, 1]}},
         "color": {"field": "method", "type": "nominal", "title": null},
         "shape": {"field": "layout", "type": "nominal", "title": null, "legend": {"columns": 2}},
         "tooltip": [{"field": "shape", "title": "M×K×N"}, {"field": "method"}, {"field": "layout"},
                     {"field": "peak_fraction", "title": "simulated", "format": ".1%"},
                     {"field": "measured", "title": "measured", "format": ".1%"},
                     {"field": "time_ns", "title": "simulated (ns)", "format": ",.0f"},
                     {"field": "measured_ns", "title": "measured (ns)", "format": ",.0f"}]}}
    ]
  })json");
  layers["layer"][0]["mark"]["color"] = palette::kGrey;
  layers["layer"][1]["encoding"]["color"]["scale"] = method_colours(axis_values(sim, "method"));
  layers["layer"][1]["params"] = Json::array({legend_selection("method")});
  layers["layer"][1]["encoding"]["opacity"] = if_selected(0.85);
  std::vector<std::string> notes{
      "Not the same machine: what can agree is the order. ρ: Spearman's rank correlation over the cases of a shape, "
      "without "
      "those of",
      "dtensor, which redistributes by another rule on the GPUs.", kReplicas};
  for (const std::string& note : measured_notes({measured}, shown)) notes.push_back(note);
  Json spec = panels(std::move(layers), std::move(records), sim, title, notes);
  return {"ranking_beside_gpus", title, std::move(spec)};
}

}  // namespace

std::vector<Figure> universal_gemm_figures(const Results& simulated, const Results& /*theory*/) {
  std::vector<Figure> figures{methods(simulated)};
  const std::vector<MethodChoice> choices = method_choices(simulated);
  if (!choices.empty()) figures.push_back(auto_choice(simulated, choices));
  return figures;
}

std::vector<Figure> universal_gemm_beside(const Results& simulated, const std::vector<Results>& measured) {
  std::vector<Figure> figures = group_figures(simulated, measured);
  for (const Results& of : measured) {
    Figure figure = ranking(simulated, of);
    if (!figure.spec.at("data").at("values").empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

std::string universal_gemm_headline(const Results& simulated, const Results& /*theory*/) {
  std::vector<double> losses;
  const std::vector<MethodChoice> choices = method_choices(simulated);
  for (const MethodChoice& choice : choices) {
    if (choice.loss() > 0) losses.push_back(choice.loss());
  }
  if (choices.empty()) return "";
  const std::string fastest = "The method that keeps the largest matrix still (auto) is the fastest in " +
                              std::to_string(choices.size() - losses.size()) + " of " + std::to_string(choices.size()) +
                              " cases";
  if (losses.empty()) return fastest + ".";
  std::ranges::sort(losses);
  return fastest + "; where it is not, it takes " + percent(losses[losses.size() / 2]) + " longer in the median, " +
         percent(losses.back()) + " at most.";
}

}  // namespace kernbench
