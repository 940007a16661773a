// Theory against simulation: both times on a log axis, and beside them the error of each point with its number.
#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/rows.hpp"
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

std::vector<double> times_of(const Json& records) {
  std::vector<double> times;
  for (const Json& record : records) {
    for (const char* field : {"simulated_ns", "theory_ns"}) {
      if (record.at(field).is_number()) times.push_back(record.at(field));
    }
  }
  return times;
}

}  // namespace

Figure theory_vs_simulated(const Results& sim, const Results& theory) {
  const std::string title = "Theory and simulation: time of the PE window";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": 24,
    "hconcat": [
      {
        "width": 390,
        "height": {"step": 58, "for": "position"},
        "encoding": {
          "y": {"field": "shape", "type": "nominal", "title": "shape M×K×N", "scale": {"paddingInner": 0.2},
                "axis": {"grid": false, "ticks": false, "domain": false}}
        },
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
            "mark": {"type": "point", "filled": true, "size": 196},
            "encoding": {
              "x": {"field": "theory_ns", "type": "quantitative", "title": "time of the PE window (ns, log scale)",
                    "scale": {"type": "log", "nice": false, "padding": 14}, "axis": {}},
              "shape": {"datum": "closed form (theory)", "type": "nominal", "title": null,
                        "scale": {"domain": ["simulated", "closed form (theory)"], "range": ["circle", "M-0.18,-1H0.18V1H-0.18Z"]}}
            }
          }
        ]
      },
      {
        "width": 280,
        "height": {"step": 58, "for": "position"},
        "encoding": {
          "y": {"field": "shape", "type": "nominal", "title": null, "scale": {"paddingInner": 0.2}, "axis": null}
        },
        "layer": [
          {
            "mark": {"type": "bar"},
            "encoding": {
              "x": {"field": "error", "type": "quantitative", "stack": null,
                    "title": "(simulated − theory) ÷ theory (%)",
                    "axis": {"tickCount": 6,
                             "labelExpr": "(datum.value > 0 ? '+' : '') + format(datum.value, '.3~p')"}}
            }
          },
          {
            "mark": {"type": "text", "align": "left"},
            "encoding": {"x": {"value": 288}, "text": {"field": "printed"}}
          }
        ]
      }
    ]
  })json");
  spec["title"] = figure_title(
      title, sim,
      with_under_tile_note(sim, "Error: (simulated − theory) ÷ theory. Theory: the machine's closed form."));
  spec["config"] = figure_config();
  const Json records = time_records(sim, theory);
  spec["data"] = {{"values", records}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.simulated_ns) && isValid(datum.theory_ns)", "as": "both"},
    {"calculate": "datum.both ? datum.simulated_ns / datum.theory_ns - 1 : null", "as": "error"},
    {"calculate": "format(datum.error, abs(datum.error) < 0.01 ? '+.2%' : '+.1%')", "as": "percent"},
    {"calculate": "datum.both ? datum.percent : datum.status != 'ok' ? datum.status : 'no theory'", "as": "printed"}
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
  Json& times = spec["hconcat"][0];
  Json& errors = spec["hconcat"][1];
  times["layer"][0]["params"] = Json::array({legend_selection("variant")});
  times["layer"][2]["encoding"]["color"] = {{"value", palette::kInk}};
  errors["layer"][1]["encoding"]["color"] = {{"value", palette::kInk}};
  times["layer"][2]["encoding"]["x"]["axis"] = log_axis(times_of(records));
  errors = with_column_heading(std::move(errors), "error", 288);
  return {"theory_vs_simulated", title, std::move(spec)};
}

}  // namespace kernbench
