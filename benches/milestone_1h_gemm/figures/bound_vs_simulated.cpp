// The bound and the simulated time on a log axis, and how far each point is above its bound, with its number.
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

/// One record a point.
Json time_records(const Results& sim, const Results& theory) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    const Row* closed_form = find_row(theory, row.point);
    Json record = point_record(row);
    record["simulated_ns"] = metric(&row, kTime);
    record["bound_ns"] = metric(closed_form, kTime);
    record["bottleneck"] = metric(closed_form, kBottleneck);
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<double> times_of(const Json& records) {
  std::vector<double> times;
  for (const Json& record : records) {
    for (const char* field : {"simulated_ns", "bound_ns"}) {
      if (record.at(field).is_number()) times.push_back(record.at(field));
    }
  }
  return times;
}

}  // namespace

Figure bound_vs_simulated(const Results& sim, const Results& theory) {
  const std::string title = "Simulated time and its bound";
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
            "encoding": {"x": {"field": "bound_ns", "type": "quantitative"}, "x2": {"field": "simulated_ns"}}
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
              "x": {"field": "bound_ns", "type": "quantitative", "title": "time of the PE window (ns, log scale)",
                    "scale": {"type": "log", "nice": false, "padding": 14}, "axis": {}},
              "shape": {"datum": "bound (closed form)", "type": "nominal", "title": null,
                        "scale": {"domain": ["simulated", "bound (closed form)"], "range": ["circle", "M-0.18,-1H0.18V1H-0.18Z"]}}
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
              "x": {"field": "above", "type": "quantitative", "stack": null,
                    "title": "above the bound (%, linear to 1 %, then log scale)",
                    "scale": {"type": "symlog", "constant": 0.01, "nice": false},
                    "axis": {"values": [-1, -0.1, -0.01, 0, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100],
                             "labelExpr": "format(datum.value, '~%')"}}
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
      with_under_tile_note(sim,
                           "Above the bound: simulated ÷ bound − 1, latencies and waiting; they are most of what a "
                           "small shape takes."));
  spec["config"] = figure_config();
  const Json records = time_records(sim, theory);
  spec["data"] = {{"values", records}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.simulated_ns) && isValid(datum.bound_ns)", "as": "both"},
    {"calculate": "datum.both ? datum.simulated_ns / datum.bound_ns - 1 : null", "as": "above"},
    {"calculate": "format(datum.above, abs(datum.above) < 0.01 ? '.2%' : '.1%')", "as": "percent"},
    {"calculate": "datum.both ? datum.percent : datum.status != 'ok' ? datum.status : 'no bound'", "as": "printed"}
  ])json");
  const Json variants = axis_values(sim, "variant");
  const Json tooltip = Json::parse(R"json([
    {"field": "shape", "title": "M×K×N"}, {"field": "variant"},
    {"field": "simulated_ns", "title": "simulated (ns)", "format": ","},
    {"field": "bound_ns", "title": "bound (ns)", "format": ","},
    {"field": "printed", "title": "above the bound"},
    {"field": "bottleneck", "title": "bound by"}])json");
  for (Json& panel : spec["hconcat"]) {
    Json& encoding = panel["encoding"];
    encoding["y"]["sort"] = shape_labels(sim);
    encoding["yOffset"] = {{"field", "variant"}, {"sort", variants}};
    encoding["color"] = {
        {"field", "variant"},
        {"type", "nominal"},
        {"title", nullptr},
        {"scale",
         {{"domain", variants}, {"range", {palette::kBlue, palette::kOrange, palette::kGreen, palette::kPurple}}}}};
    encoding["opacity"] = if_selected();
    encoding["tooltip"] = tooltip;
  }
  Json& times = spec["hconcat"][0];
  Json& distances = spec["hconcat"][1];
  times["layer"][0]["params"] = Json::array({legend_selection("variant")});
  times["layer"][2]["encoding"]["color"] = {{"value", palette::kInk}};
  distances["layer"][1]["encoding"]["color"] = {{"value", palette::kInk}};
  times["layer"][2]["encoding"]["x"]["axis"] = log_axis(times_of(records));
  distances = with_column_heading(std::move(distances), "above", 288);
  return {"bound_vs_simulated", title, std::move(spec)};
}

}  // namespace kernbench
