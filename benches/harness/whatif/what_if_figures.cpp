#include "benches/harness/whatif/what_if_figures.hpp"

#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/harness/results/limit.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kStairsWidth = 300;
constexpr int kTornadoWidth = 460;

Json stair_record(const std::string& stair, const std::string& changes, const Row& base, const Row& row) {
  const std::optional<CauseTime> limit = limit_of(row);
  return {{"stair", stair},
          {"changes", changes},
          {"time_ns", row.metrics.at("time_ns")},
          {"times", times_faster(base, row)},
          {"limit", limit ? cause_name(limit->cause) : ""}};
}

Json stair_records(const WhatIf& answer, const MachineSpec& machine) {
  Json records = Json::array({stair_record("as it is", "", answer.base, answer.base)});
  const MachineSpec* before = &machine;
  for (const Stair& stair : answer.stairs) {
    std::vector<std::string> changes;
    for (const KeyChange& change : stair.changes) changes.push_back(to_text(change, *before));
    records.push_back(
        stair_record("stair " + std::to_string(records.size()), joined(changes, "\n"), answer.base, stair.row));
    before = &stair.machine;
  }
  return records;
}

Json tornado_records(const WhatIf& answer, const MachineSpec& machine) {
  Json records = Json::array();
  for (const KeyEffect& effect : strong_effects(answer)) {
    const std::string key = std::string(effect.key->path) + ", now " + written_value(*effect.key, machine);
    for (const bool twice : {false, true}) {
      const Row& row = twice ? effect.twice : effect.half;
      if (row.status != "ok") continue;
      records.push_back(
          {{"key", key}, {"with", twice ? "with twice" : "with half"}, {"effect", times_faster(answer.base, row) - 1}});
    }
  }
  return records;
}

}  // namespace

Figure what_if_stairs(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                      const std::string& workload) {
  const std::string title = "What to change first: " + workload;
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "height": {"step": 112},
    "encoding": {
      "y": {"field": "stair", "type": "nominal", "sort": null, "title": null,
            "axis": {"grid": false, "ticks": false, "domain": false}, "scale": {"paddingInner": 0.18}}
    },
    "layer": [
      {"mark": {"type": "bar"},
       "encoding": {"x": {"field": "time_ns", "type": "quantitative", "title": "time (ns)", "axis": {"tickCount": 5}},
                    "tooltip": [{"field": "stair"}, {"field": "time_ns", "title": "time (ns)", "format": ","},
                                {"field": "times", "title": "times as fast", "format": ".2f"},
                                {"field": "limit", "title": "limited by"}]}},
      {"mark": {"type": "text", "align": "left"}, "encoding": {"text": {"field": "fast"}}},
      {"mark": {"type": "text", "align": "left"}, "encoding": {"text": {"field": "limit"}}},
      {"mark": {"type": "text", "align": "left", "baseline": "middle", "lineBreak": "\n", "lineHeight": 16,
                "dy": {"expr": "8 - 8 * length(split(datum.changes, '\\n'))"}},
       "encoding": {"text": {"field": "changes"}}}
    ]
  })json");
  const bool costs = !answer.stairs.empty() && answer.stairs.front().added_cost;
  spec["width"] = kStairsWidth;
  spec["title"] = figure_title(title, results,
                               {std::string("Each stair doubles or halves the keys that gain most for ") +
                                (costs ? "what they add to the cost" : "each key") + ", on top of those before it."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", stair_records(answer, machine)}};
  spec["transform"] = Json::array(
      {{{"calculate", time_text("time_ns") + " + (datum.times > 1 ? ', ' + format(datum.times, '.2f') + ' ×' : '')"},
        {"as", "fast"}}});
  spec["layer"][0]["mark"]["color"] = palette::kBlue;
  int x = kStairsWidth;
  for (const auto& [layer, offset] : {std::pair(1, 12), std::pair(2, 132), std::pair(3, 150)}) {
    x += offset;
    spec["layer"][layer]["encoding"]["x"] = {{"value", x}};
  }
  spec = with_column_heading(std::move(spec), "time, in all", kStairsWidth + 12);
  spec = with_column_heading(std::move(spec), "then limited by", kStairsWidth + 144);
  spec = with_column_heading(std::move(spec), "change", kStairsWidth + 294);
  return {"stairs", title, std::move(spec)};
}

Figure what_if_tornado(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                       const std::string& workload) {
  const std::string title = "Each key alone: " + workload;
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "height": {"step": 30},
    "mark": {"type": "bar", "height": {"band": 0.7}},
    "encoding": {
      "y": {"field": "key", "type": "nominal", "sort": null, "title": null, "axis": {"labelLimit": 400, "ticks": false}},
      "x": {"field": "effect", "type": "quantitative", "stack": null, "title": "change of the speed (%)",
            "axis": {"format": "+.0%"}},
      "color": {"field": "with", "type": "nominal", "title": null, "scale": {"domain": ["with half", "with twice"]}},
      "tooltip": [{"field": "key"}, {"field": "with"}, {"field": "effect", "format": "+.1%"}]
    }
  })json");
  spec["width"] = kTornadoWidth;
  spec["title"] =
      figure_title(title, results, {"All else as it is. Keys that change the time by less than 1 % are left out."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", tornado_records(answer, machine)}};
  spec["encoding"]["color"]["scale"]["range"] = {palette::kOrange, palette::kBlue};
  return {"tornado", title, std::move(spec)};
}

}  // namespace kernbench
