#include "benches/experiments/whatif/what_if_figures.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kStairsWidth = 300;
constexpr int kTornadoWidth = 460;

Json stair_record(const std::string& stair, const std::string& changes, const Row& base, const Row& row,
                  std::optional<double> added_cost) {
  const std::optional<LimitWords> limit = limit_words(row);
  return {{"stair", stair},
          {"changes", changes},
          {"time_ns", row.metrics.at(kTime)},
          {"times", times_faster(base, row)},
          {"adds", added_cost ? (*added_cost > 0 ? short_number(*added_cost) : "free") : ""},
          {"limit", limit ? limit->what : ""}};
}

/// Another mapping in short lines, as room for text is.
std::string mapping_lines(const std::string& mapping) {
  constexpr std::size_t kLetters = 34;
  std::string lines = "another mapping:";
  std::size_t length = kLetters;
  std::istringstream words(mapping);
  for (std::string word; words >> word;) {
    const bool is_new = length + word.size() > kLetters;
    lines += (is_new ? "\n" : " ") + word;
    length = (is_new ? 0 : length + 1) + word.size();
  }
  return lines;
}

Json stair_records(const WhatIf& answer, const MachineSpec& machine) {
  Json records = Json::array({stair_record("as it is", "", answer.base, answer.base, std::nullopt)});
  if (answer.free) {
    records.push_back(stair_record("free", mapping_lines(answer.free->mapping), answer.base, answer.free->row, {}));
    if (!answer.stairs.empty() && answer.stairs.front().added_cost) records.back()["adds"] = "free";
  }
  const std::size_t before_stairs = records.size();
  const MachineSpec* before = &machine;
  for (const Stair& stair : answer.stairs) {
    std::vector<std::string> changes;
    for (const KeyChange& change : stair.changes) changes.push_back(to_text(change, *before));
    records.push_back(stair_record("stair " + std::to_string(records.size() - before_stairs + 1), joined(changes, "\n"),
                                   answer.base, stair.row, stair.added_cost));
    before = &stair.machine;
  }
  return records;
}

/// Text right of the stairs.
struct Column {
  std::string heading;
  const char* field;
  int width = 0;
  Json mark = {{"type", "text"}, {"align", "left"}};
};

/// Those that have something to say of a stair.
std::vector<Column> columns_of(const Json& records, const std::string& cost_unit) {
  const auto is_said = [&records](const char* field) {
    return std::ranges::any_of(
        records, [field](const Json& record) { return !record.at(field).get_ref<const std::string&>().empty(); });
  };
  std::vector<Column> columns{{"time, in all", "fast", 132}};
  if (is_said("limit")) columns.push_back({"then limited by", "limit", 150});
  if (is_said("adds")) columns.push_back({"adds (" + cost_unit + ")", "adds", 110});
  if (!is_said("changes")) return columns;
  columns.push_back({"change", "changes"});
  columns.back().mark.update({{"baseline", "middle"},
                              {"lineBreak", "\n"},
                              {"lineHeight", 16},
                              {"dy", {{"expr", "8 - 8 * length(split(datum.changes, '\\n'))"}}}});
  return columns;
}

Json tornado_records(const WhatIf& answer, const MachineSpec& machine) {
  Json records = Json::array();
  for (const KeyEffect& effect : strong_effects(answer)) {
    const std::string key = name_with_others(effect.key, machine) + ", now " + written_value(effect.key, machine);
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
                                {"field": "limit", "title": "limited by"}]}}
    ]
  })json");
  const bool costs = !answer.stairs.empty() && answer.stairs.front().added_cost;
  spec["width"] = kStairsWidth;
  std::vector<std::string> notes{std::string("Each stair doubles or halves the keys that gain most for ") +
                                 (costs ? "what they add to the cost" : "each key") + ", on top of those before it."};
  if (answer.free) notes.emplace_back("Green: what costs no hardware, on the machine as it is.");
  spec["title"] = figure_title(title, results, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", stair_records(answer, machine)}};
  spec["transform"] = Json::array(
      {{{"calculate", time_text("time_ns") + " + (datum.times > 1 ? ', ' + format(datum.times, '.2f') + ' ×' : '')"},
        {"as", "fast"}}});
  spec["layer"][0]["encoding"]["color"] = {
      {"condition", {{"test", "datum.stair === 'free'"}, {"value", palette::kGreen}}}, {"value", palette::kBlue}};
  const std::vector<Column> columns = columns_of(spec["data"]["values"], machine.cost.unit);
  int x = kStairsWidth + 12;
  for (const Column& column : columns) {
    spec["layer"].push_back(
        {{"mark", column.mark}, {"encoding", {{"text", {{"field", column.field}}}, {"x", {{"value", x}}}}}});
    x += column.width;
  }
  x = kStairsWidth + 12;
  for (const Column& column : columns) {
    spec = with_column_heading(std::move(spec), column.heading, x);
    x += column.width;
  }
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
