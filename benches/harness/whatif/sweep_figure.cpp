// The figure of a sweep: what the machine's keys do to each point of the bench.
#include <algorithm>
#include <map>

#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/rows.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/harness/text/lists.hpp"
#include "benches/harness/whatif/sweep.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr int kPanel = 250;
constexpr int kColumns = 3;
constexpr std::size_t kLettersOfPanel = 32;  ///< that labels side by side have room for

bool is_machine_axis(const Axis& axis) {
  const AxisValue& value = axis.values.front();
  return value.fields.is_object() && find_machine_key(value.fields.begin().key()) != nullptr;
}

/// One record a row that ran: its place on the first axis, its panel, its colour and its dashes.
Json records_of(const Bench& bench, const Results& simulated, std::size_t own) {
  Json records = Json::array();
  for (const auto& [point, value] : values_at_points(bench, simulated)) {
    std::vector<std::string> way;
    std::vector<std::string> machine;
    for (std::size_t i = 1; i < point.labels.size(); ++i) {
      if (is_machine_axis(bench.axes[i])) {
        machine.push_back(bench.axes[i].name + " " + point.labels[i]);
      } else if (i != own) {
        way.push_back(point.labels[i]);
      }
    }
    records.push_back({{"x", point.labels.front()},
                       {"panel", own < point.labels.size() ? point.labels[own] : ""},
                       {"way", joined(way, ", ")},
                       {"machine", joined(machine, ", ")},
                       {"value", value}});
  }
  return records;
}

}  // namespace

std::vector<PointValue> values_at_points(const Bench& bench, const Results& simulated) {
  std::map<std::string, const Row*> rows;
  for (const Row& row : simulated.rows) rows[row.point.dump()] = &row;
  std::vector<PointValue> values;
  std::vector<LabelledPoint> points = expand_points(bench);
  for (LabelledPoint& point : points) {
    const auto found = rows.find(point.point.dump());
    const Json value = found == rows.end() ? Json() : metric(found->second, bench.report.front().metric);
    if (value.is_number()) values.push_back({std::move(point), value.get<double>()});
  }
  return values;
}

Figure sweep_figure(const Bench& bench, const Results& simulated) {
  const Axis& first = bench.axes.front();
  const auto own = static_cast<std::size_t>(std::ranges::find_if_not(bench.axes, is_machine_axis) - bench.axes.begin());
  const std::string title = bench.report.front().title + " over " + first.name;
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 3,
    "spec": {
      "mark": {"type": "line", "point": {"size": 46}},
      "encoding": {
        "x": {"field": "x", "type": "ordinal", "sort": null},
        "y": {"field": "value", "type": "quantitative", "scale": {"zero": true}},
        "color": {"field": "way", "type": "nominal", "title": null, "sort": null},
        "strokeDash": {"field": "machine", "type": "nominal", "title": null, "sort": null,
                       "legend": {"labelLimit": 460, "symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 2, "columns": 3}},
        "tooltip": [{"field": "panel"}, {"field": "way"}, {"field": "machine"}, {"field": "x"}, {"field": "value", "format": ","}]
      }
    },
    "resolve": {"scale": {"y": "independent"}}
  })json");
  const Json records = records_of(bench, simulated, own);
  std::vector<std::string> panels;
  for (const Json& record : records) panels.push_back(record.at("panel"));
  panels = each_once(panels);
  const bool one_machine = std::ranges::all_of(
      records, [](const Json& record) { return record.at("machine").get_ref<const std::string&>().empty(); });
  spec["columns"] = kColumns;
  spec["facet"] = {{"field", "panel"}, {"type", "nominal"}, {"sort", panels}, {"title", nullptr}};
  spec["spec"]["width"] = kPanel;
  spec["spec"]["height"] = kPanel * 3 / 4;
  spec["spec"]["encoding"]["x"]["title"] = first.name;
  std::size_t letters = 0;
  for (const AxisValue& value : first.values) letters += value.label.size() + 1;
  if (letters < kLettersOfPanel) spec["spec"]["encoding"]["x"]["axis"] = {{"labelAngle", 0}};
  spec["spec"]["encoding"]["y"]["title"] = bench.report.front().title;
  if (one_machine) spec["spec"]["encoding"].erase("strokeDash");
  spec["spec"]["params"] = Json::array({legend_selection("way")});
  spec["spec"]["encoding"]["opacity"] = if_selected();
  std::string linked;
  for (const auto& [key, value] : first.values.front().fields.items()) {
    if (key != first.name && !key.starts_with(first.name + "."))
      linked += (linked.empty() ? " With it goes " : " and ") + key;
  }
  spec["title"] = figure_title(title, simulated, {"All else as it is." + linked + (linked.empty() ? "" : ".")});
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"sweep", title, std::move(spec)};
}

}  // namespace kernbench
