// Theory against simulation: both times on a log axis, and beside them the error of each point with its number.
#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"

namespace kernbench {
namespace {

/// One record a point.
Json time_records(const Results& sim, const Results& theory) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    const Row* closed_form = find_row(theory, row.point);
    Json record = point_record(row);
    record["simulated_ns"] = metric(&row, "time_ns");
    record["theory_ns"] = metric(closed_form, "time_ns");
    record["bottleneck"] = metric(closed_form, "bottleneck");
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

Figure theory_vs_simulated(const Results& sim, const Results& theory) {
  const std::string title = "Theory and simulation: time of the PE window";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": 24,
    "hconcat": [
      {
        "width": 440,
        "height": {"step": 58, "for": "position"},
        "layer": [
          {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": {"field": "theory_ns", "type": "quantitative"}, "x2": {"field": "simulated_ns"}}
          },
          {
            "mark": {"type": "point", "filled": true, "size": 75},
            "encoding": {
              "x": {"field": "simulated_ns", "type": "quantitative"},
              "shape": {"datum": "simulated", "type": "nominal"}}
          },
          {
            "mark": {"type": "point", "filled": false, "strokeWidth": 2.5, "size": 196},
            "encoding": {
              "shape": {"datum": "closed form (theory)", "type": "nominal", "title": null,
                        "scale": {"domain": ["simulated", "closed form (theory)"], "range": ["circle", "M0,-1V1"]}},
              "x": {"field": "theory_ns", "type": "quantitative", "title": "time of the PE window (ns, log scale)",
                    "scale": {"type": "log", "nice": false, "padding": 14}, "axis": {"format": "~s", "tickCount": 6}}}
          }
        ],
        "encoding": {
          "y": {"field": "shape", "type": "nominal", "title": "shape M×K×N", "scale": {"paddingInner": 0.2},
                "axis": {"grid": true, "ticks": false, "domain": false, "tickBand": "extent"}}
        }
      },
      {
        "width": 330,
        "height": {"step": 58, "for": "position"},
        "layer": [
          {
            "mark": {"type": "bar"},
            "encoding": {
              "x": {"field": "error", "type": "quantitative", "stack": null, "axis": {"format": "+.0%", "tickCount": 6},
                    "title": "(simulated − theory) ÷ theory (%)"}}
          },
          {
            "mark": {"type": "text", "align": "left", "dx": 5},
            "encoding": {"x": {"field": "text_at", "type": "quantitative"}, "text": {"field": "printed"}}
          }
        ],
        "encoding": {
          "y": {"field": "shape", "type": "nominal", "title": null, "scale": {"paddingInner": 0.2},
                "axis": {"grid": true, "ticks": false, "domain": false, "labels": false, "tickBand": "extent"}}
        }
      }
    ]
  })json");
  spec["title"] = figure_title(
      title, sim, {"Dot: simulated. Tick: closed form, a bound that leaves out filling and draining.", kUnderTileNote});
  spec["config"] = figure_config();
  spec["data"] = {{"values", time_records(sim, theory)}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.simulated_ns) && isValid(datum.theory_ns) ? datum.simulated_ns / datum.theory_ns - 1 : null",
     "as": "error"},
    {"calculate": "isValid(datum.error) ? max(datum.error, 0) : 0", "as": "text_at"},
    {"calculate": "isValid(datum.error) ? format(datum.error, '+.1%') : datum.status != 'ok' ? datum.status : 'no theory'",
     "as": "printed"}
  ])json");
  const Json variants = axis_values(sim, "variant");
  const Json tooltip = Json::parse(R"json([
    {"field": "shape", "title": "M×K×N"}, {"field": "variant"},
    {"field": "simulated_ns", "title": "simulated (ns)", "format": ","},
    {"field": "theory_ns", "title": "closed form (ns)", "format": ","},
    {"field": "printed", "title": "error"},
    {"field": "bottleneck", "title": "bottleneck (closed form)"}])json");
  for (Json& panel : spec["hconcat"]) {
    Json& encoding = panel["encoding"];
    encoding["y"]["sort"] = shape_labels(sim);
    encoding["yOffset"] = {{"field", "variant"}, {"sort", variants}};
    encoding["color"] = {
        {"field", "variant"},
        {"type", "nominal"},
        {"title", nullptr},
        {"scale", {{"domain", variants}, {"range", {palette::kBlue, palette::kOrange, palette::kGreen}}}}};
    encoding["opacity"] = if_selected();
    encoding["tooltip"] = tooltip;
  }
  Json& ticks = spec["hconcat"][0]["layer"][2];
  ticks["encoding"]["color"] = {{"value", palette::kBlack}};
  spec["hconcat"][1]["layer"][1]["encoding"]["color"] = {{"value", palette::kBlack}};
  spec["hconcat"][0]["layer"][0]["params"] = Json::array({legend_selection("variant")});
  return {"theory_vs_simulated", title, std::move(spec)};
}

}  // namespace kernbench
