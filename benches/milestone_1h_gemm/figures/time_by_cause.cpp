// What the PE window of each point went to: a bar of causes that add up to it, its length, and what limits the run.
#include <algorithm>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/cause_scale.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr int kBarWidth = 420;
constexpr int kWindowColumn = kBarWidth + 10;
constexpr int kLimitColumn = kBarWidth + 84;

/// One record a point and cause; a point without a ledger (it failed) keeps a record, so that its place says so.
Json cause_records(const Results& sim) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    Json record = point_record(row);
    record["time_ns"] = metric(&row, kTime);
    const Json limit = metric(&row, kLimitedBy);
    record["limited_by"] = limit.is_string() ? Json(cause_name(limit.get<std::string>())) : limit;
    record["limited_by_share"] = metric(&row, kLimitedByShare);
    const std::size_t before = records.size();
    for (std::size_t rank = 0; rank < cause_words().size(); ++rank) {
      const Json ns = metric(&row, ledger_metric(cause_words()[rank].cause));
      if (ns.is_null()) continue;
      record["cause"] = cause_words()[rank].name;
      record["rank"] = rank;
      record["ledger_ns"] = ns;
      records.push_back(record);
    }
    if (records.size() == before) records.push_back(record);
  }
  return records;
}

}  // namespace

Figure time_by_cause(const Results& sim) {
  const std::string title = "What the time goes to, simulated";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "transform": [{"calculate": "datum.ledger_ns / datum.time_ns", "as": "share_of_window"}],
    "height": {"step": 74, "for": "position"},
    "layer": [
      {
        "transform": [{"filter": "isValid(datum.cause)"}],
        "mark": {"type": "bar"},
        "encoding": {
          "x": {"field": "share_of_window", "type": "quantitative", "stack": "zero", "scale": {"domain": [0, 1]},
                "axis": {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}, "title": "share of the PE window (%)"},
          "color": {"field": "cause", "type": "nominal", "title": null, "legend": {"columns": 4, "offset": 28}},
          "order": {"field": "rank", "type": "quantitative"},
          "tooltip": [
            {"field": "shape", "title": "M×K×N"}, {"field": "variant"}, {"field": "cause"},
            {"field": "ledger_ns", "title": "time (ns)", "format": ","},
            {"field": "share_of_window", "title": "of the PE window", "format": ".2%"},
            {"field": "time_ns", "title": "PE window (ns)", "format": ","},
            {"field": "limited_by", "title": "limited by"},
            {"field": "limited_by_share", "title": "of the time", "format": ".2%"}]
        }
      },
      {"mark": {"type": "text", "align": "right"}, "encoding": {"x": {"value": -8}, "text": {"field": "variant"}}},
      {"mark": {"type": "text", "align": "left"}, "encoding": {"text": {"field": "window"}}},
      {"mark": {"type": "text", "align": "left"}, "encoding": {"text": {"field": "limit"}}}
    ],
    "encoding": {
      "y": {"field": "shape", "type": "nominal", "title": "shape M×K×N", "scale": {"paddingInner": 0.16},
            "axis": {"grid": false, "ticks": false, "domain": false, "offset": 70}}
    }
  })json");
  const Json records = cause_records(sim);
  spec["width"] = kBarWidth;
  std::vector<std::string> notes = with_under_tile_note(
      sim, "A bar is the PE window: green while the MAC array works, the other colours are what it waits for.");
  notes.insert(notes.begin() + 1,
               "Limited by: of a wait, how much of the window a run without it could save at most; of the array, for "
               "how much it "
               "works.");
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  spec["encoding"]["y"]["sort"] = shape_labels(sim);
  spec["encoding"]["yOffset"] = {
      {"field", "variant"}, {"sort", axis_values(sim, "variant")}, {"scale", {{"paddingInner", 0.12}}}};
  Json& bars = spec["layer"][0];
  bars["params"] = Json::array({legend_selection("cause")});
  bars["encoding"]["color"]["scale"] = cause_scale(records);
  bars["encoding"]["opacity"] = if_selected();
  const Json a_point = Json::parse(R"json({
    "aggregate": [{"op": "min", "field": "time_ns", "as": "time_ns"},
                  {"op": "min", "field": "limited_by_share", "as": "limited_by_share"}],
    "groupby": ["shape", "variant", "status", "limited_by"]})json");
  const Json window = {{"calculate", "isValid(datum.time_ns) ? " + time_text("time_ns") + " : datum.status"},
                       {"as", "window"}};
  const Json limit = {{"calculate",
                       "isValid(datum.limited_by) ? datum.limited_by + ' ' + format(datum.limited_by_share, '.1%') "
                       ": isValid(datum.time_ns) ? 'no ledger' : ''"},
                      {"as", "limit"}};
  for (std::size_t layer = 1; layer < 4; ++layer) spec["layer"][layer]["transform"] = {a_point, window, limit};
  spec["layer"][2]["encoding"]["x"] = {{"value", kWindowColumn}};
  spec["layer"][3]["encoding"]["x"] = {{"value", kLimitColumn}};
  spec = with_column_heading(std::move(spec), "PE window", kWindowColumn);
  spec = with_column_heading(std::move(spec), "limited by", kLimitColumn);
  return {"time_by_cause", title, std::move(spec)};
}

}  // namespace kernbench
