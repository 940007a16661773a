// Stage breakdown: for each shape and variant one bar a stage, its wall-clock as a share of the PE window.
#include <array>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

struct ShownStage {
  const char* stage;
  const char* label;
  const char* colour;
};

/// From top to bottom in the order in which data passes them. Control and scheduling take a few ns a call; they are in
/// the results file.
constexpr std::array<ShownStage, 6> kShownStages{{
    {"load", "load into TCM", palette::kSkyBlue},
    {"dma_in", "DMA in", palette::kBlue},
    {"fetch", "fetch", palette::kGreen},
    {"mac", "MAC", palette::kVermillion},
    {"store", "store", palette::kOrange},
    {"dma_out", "DMA out", palette::kPurple},
}};

/// One record a point and stage; a point without any (it failed) keeps a record, so that its place says so.
Json stage_records(const Results& sim) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    Json record = point_record(row);
    record["time_ns"] = metric(&row, kTime);
    const std::size_t before = records.size();
    for (const ShownStage& shown : kShownStages) {
      for (const StageRow& stage : row.stages) {
        if (stage.stage != shown.stage) continue;
        record["stage"] = shown.label;
        record["engine"] = stage.engine;
        record["wall_ns"] = stage.wall_ns;
        record["busy_ns"] = stage.busy_ns;
        records.push_back(record);
      }
    }
    if (records.size() == before) records.push_back(record);
  }
  return records;
}

}  // namespace

Figure stage_breakdown_simulated(const Results& sim) {
  const std::string title = "Stage breakdown, simulated";
  Json labels = Json::array();
  Json colours = Json::array();
  for (const ShownStage& stage : kShownStages) {
    labels.push_back(stage.label);
    colours.push_back(stage.colour);
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"column": 24},
    "transform": [{"calculate": "datum.wall_ns / datum.time_ns", "as": "share_of_window"}],
    "facet": {"column": {"field": "variant", "title": null, "header": {"labelAnchor": "start"}}},
    "spec": {
      "width": 125,
      "height": {"step": 62, "for": "position"},
      "layer": [
        {
          "transform": [{"filter": "isValid(datum.stage)"}],
          "mark": {"type": "bar"},
          "encoding": {
            "x": {"field": "share_of_window", "type": "quantitative", "stack": null, "scale": {"domain": [0, 1]},
                  "axis": {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1], "labelSeparation": 8},
                  "title": "stage wall-clock ÷ PE window (%)"},
            "yOffset": {"field": "stage"},
            "color": {"field": "stage", "type": "nominal", "title": null, "legend": {"columns": 6}},
            "tooltip": [
              {"field": "shape", "title": "M×K×N"}, {"field": "variant"}, {"field": "stage"}, {"field": "engine"},
              {"field": "wall_ns", "title": "wall-clock (ns)", "format": ","},
              {"field": "busy_ns", "title": "occupancy (ns)", "format": ","},
              {"field": "time_ns", "title": "PE window (ns)", "format": ","},
              {"field": "share_of_window", "title": "wall-clock ÷ PE window", "format": ".1%"}]
          }
        },
        {
          "transform": [{"aggregate": [{"op": "min", "field": "time_ns", "as": "time_ns"}],
                         "groupby": ["shape", "variant", "status"]}],
          "mark": {"type": "text", "align": "left"},
          "encoding": {"x": {"value": 133}}
        }
      ],
      "encoding": {
        "y": {"field": "shape", "type": "nominal", "title": "shape M×K×N", "scale": {"paddingInner": 0.18},
              "axis": {"grid": false, "ticks": false, "domain": false}}
      }
    }
  })json");
  spec["title"] = figure_title(
      title, sim,
      with_under_tile_note(sim,
                           "Stages work at the same time: their wall-clocks overlap and do not add up to the window. "
                           "No bar: unused, or too short to see."));
  spec["config"] = figure_config();
  spec["data"] = {{"values", stage_records(sim)}};
  spec["facet"]["column"]["sort"] = axis_values(sim, "variant");
  Json& unit = spec["spec"];
  unit["encoding"]["y"]["sort"] = shape_labels(sim);
  Json& bars = unit["layer"][0];
  bars["params"] = Json::array({legend_selection("stage")});
  bars["encoding"]["yOffset"]["sort"] = labels;
  bars["encoding"]["color"]["scale"] = {{"domain", labels}, {"range", colours}};
  bars["encoding"]["opacity"] = if_selected();
  unit["layer"][1]["transform"].push_back(
      {{"calculate", "isValid(datum.time_ns) ? " + time_text("time_ns") + " : datum.status"}, {"as", "window"}});
  unit["layer"][1]["encoding"]["text"] = {{"field", "window"}};
  unit = with_column_heading(std::move(unit), "PE window", 133);
  return {"stage_breakdown_simulated", title, std::move(spec)};
}

}  // namespace kernbench
