// The time over each key that matters: where more of it is worth nothing any more.
#include "benches/experiments/whatif/what_if_figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr int kCurveWidth = 420;
constexpr int kCurveHeight = 180;
constexpr int kCurveColumns = 2;

Json curve_records(const WhatIf& answer, const MachineSpec& machine) {
  Json records = Json::array();
  for (const KeyCurve& curve : answer.curves) {
    const std::optional<std::size_t> knee = knee_of(curve);
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      const auto& [factor, row] = curve.values[i];
      records.push_back(
          {{"key", name_with_others(curve.key, machine)},
           {"value", written_value(curve.key, factor == Factor{} ? machine : changed(machine, {{curve.key, factor}}))},
           {"time_ns", row.metrics.at(kTime)},
           {"times", times_faster(answer.base, row)},
           {"now", factor == Factor{}},
           {"knee", knee == i}});
    }
  }
  return records;
}

}  // namespace

Figure what_if_curves(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                      const std::string& workload) {
  const std::string title = "How much of each key is enough: " + workload;
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spec": {
      "encoding": {
        "x": {"field": "value", "type": "ordinal", "sort": null, "title": null, "axis": {"labelAngle": 0}},
        "y": {"field": "time_ns", "type": "quantitative", "title": "time (ns)", "scale": {"zero": true},
              "axis": {"tickCount": 5}},
        "tooltip": [{"field": "key"}, {"field": "value"}, {"field": "time_ns", "title": "time (ns)", "format": ","},
                    {"field": "times", "title": "times as fast", "format": ".3f"}]
      },
      "layer": [
        {"mark": {"type": "line"}},
        {"mark": {"type": "point", "filled": true, "size": 60, "opacity": 1}},
        {"mark": {"type": "point", "filled": false, "size": 260, "strokeWidth": 2.5}}
      ]
    },
    "resolve": {"scale": {"x": "independent"}}
  })json");
  Json& panel = spec["spec"];
  panel["width"] = kCurveWidth;
  panel["height"] = kCurveHeight;
  panel["layer"][0]["mark"]["color"] = palette::kBlue;
  panel["layer"][1]["encoding"]["color"] = {{"condition", {{"test", "datum.now"}, {"value", palette::kInk}}},
                                            {"value", palette::kBlue}};
  panel["layer"][2]["mark"]["color"] = palette::kOrange;
  panel["layer"][2]["encoding"]["opacity"] = {{"condition", {{"test", "datum.knee"}, {"value", 1}}}, {"value", 0}};
  Json keys = Json::array();
  for (const KeyCurve& curve : answer.curves) keys.push_back(name_with_others(curve.key, machine));
  spec["columns"] = kCurveColumns;
  spec["facet"] = {{"field", "key"}, {"type", "nominal"}, {"sort", keys}, {"title", nullptr}};
  spec["title"] = figure_title(title, results,
                               {"All else as it is; dark: the machine as it is.",
                                "In a ring: the knee, from where on each next value gains less than 1 %. Without one "
                                "the last still gains."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", curve_records(answer, machine)}};
  return {"enough", title, std::move(spec)};
}

}  // namespace kernbench
