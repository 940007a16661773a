// MAC utilisation and useful efficiency over the PE window: bars from the simulation, ticks from the closed form.
#include <array>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {
namespace {

struct ShownMetric {
  const char* name;
  const char* label;
};
constexpr std::array<ShownMetric, 2> kMetrics{{{"mac_util", "MAC utilisation"}, {"useful_eff", "useful efficiency"}}};

/// One record a point and metric.
Json utilisation_records(const Results& sim, const Results& theory) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    const Row* closed_form = find_row(theory, row.point);
    for (const auto& [name, label] : kMetrics) {
      Json record = point_record(row);
      record["metric"] = label;
      record["simulated"] = metric(&row, name);
      record["theory"] = metric(closed_form, name);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace

Figure mac_utilisation_simulated(const Results& sim, const Results& theory) {
  const std::string title = "MAC utilisation and useful efficiency, simulated";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"column": 24},
    "facet": {"column": {"field": "variant", "title": null, "header": {"labelAnchor": "start"}}},
    "spec": {
      "width": 125,
      "height": {"step": 40, "for": "position"},
      "layer": [
        {
          "mark": {"type": "bar"},
          "encoding": {
            "x": {"field": "simulated", "type": "quantitative", "stack": null, "scale": {"domain": [0, 1]},
                  "axis": {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1], "labelSeparation": 8},
                  "title": "share of the PE window (%)"},
            "color": {"field": "metric", "type": "nominal", "title": null}
          }
        },
        {
          "mark": {"type": "point", "filled": true, "size": 256},
          "encoding": {
            "x": {"field": "theory", "type": "quantitative"},
            "shape": {"datum": "bound (closed form)", "type": "nominal", "title": null,
                      "scale": {"range": ["M-0.16,-1H0.16V1H-0.16Z"]}}
          }
        },
        {
          "mark": {"type": "text", "align": "left"},
          "encoding": {"x": {"value": 133}, "text": {"field": "printed"}}
        }
      ],
      "encoding": {
        "y": {"field": "shape", "type": "nominal", "title": "shape M×K×N", "scale": {"paddingInner": 0.22},
              "axis": {"grid": false, "ticks": false, "domain": false}},
        "yOffset": {"field": "metric"},
        "tooltip": [
          {"field": "shape", "title": "M×K×N"}, {"field": "variant"}, {"field": "metric"},
          {"field": "simulated", "format": ".2%"}, {"field": "theory", "title": "of the bound", "format": ".2%"}]
      }
    }
  })json");
  spec["title"] =
      figure_title(title, sim,
                   with_under_tile_note(
                       sim, "MAC utilisation counts the padding of edge tiles as work, useful efficiency does not."));
  spec["config"] = figure_config();
  spec["data"] = {{"values", utilisation_records(sim, theory)}};
  spec["transform"] = Json::array(
      {{{"calculate", "isValid(datum.simulated) ? format(datum.simulated, '.1%') : datum.status"}, {"as", "printed"}}});
  spec["facet"]["column"]["sort"] = axis_values(sim, "variant");
  const Json labels = {kMetrics[0].label, kMetrics[1].label};
  Json& unit = spec["spec"];
  unit["encoding"]["y"]["sort"] = shape_labels(sim);
  unit["encoding"]["yOffset"]["sort"] = labels;
  Json& bars = unit["layer"][0];
  bars["params"] = Json::array({legend_selection("metric")});
  bars["encoding"]["color"]["scale"] = {{"domain", labels}, {"range", {palette::kOrange, palette::kBlue}}};
  unit["layer"][1]["encoding"]["color"] = {{"value", palette::kInk}};
  for (Json& layer : unit["layer"]) layer["encoding"]["opacity"] = if_selected();
  unit = with_column_heading(std::move(unit), "simulated", 133);
  return {"mac_utilisation_simulated", title, std::move(spec)};
}

}  // namespace kernbench
