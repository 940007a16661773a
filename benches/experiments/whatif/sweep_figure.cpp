// The figure of a sweep: what the machine's keys do to each point of the bench.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/text/lists.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

constexpr int kPanel = 250;
constexpr int kColumns = 3;
constexpr int kTicks = 5;                    ///< of a log scale, about
constexpr std::size_t kMostDashes = 12;      ///< of lines that a legend tells apart
constexpr std::size_t kLettersOfPanel = 32;  ///< that labels side by side have room for

bool has_several(const Axis& axis) { return axis.values.size() > 1; }

/// Which axes a figure of a sweep is drawn over.
struct Drawn {
  std::size_t x = 0;      ///< the first with several values, else the first
  std::size_t panel = 0;  ///< the first after it that is the bench's own; none of open ones where one alone has several
};

Drawn drawn_of(const std::vector<Axis>& axes) {
  const auto begin = axes.begin();
  const auto several = std::ranges::find_if(axes, has_several);
  const auto x = several == axes.end() ? begin : several;
  const auto is_own = [](const Axis& axis) { return !is_machine_axis(axis) && tells_apart(axis); };
  auto panel = std::find_if(x + 1, axes.end(), is_own);
  const bool one_open = panel != axes.end() && panel->open && std::count_if(panel, axes.end(), is_own) == 1;
  if (one_open) panel = axes.end();
  return {static_cast<std::size_t>(x - begin), static_cast<std::size_t>(panel - begin)};
}

/// One record a row that ran: its place on the axis, its panel, its colour and its dashes. What all have alike is no
/// part of them.
Json records_of(const Bench& bench, const Results& simulated, const Drawn& drawn) {
  Json records = Json::array();
  for (const auto& [point, value, row] : values_at_points(bench, simulated)) {
    std::vector<std::string> way;
    std::vector<std::string> machine;
    for (std::size_t i = 0; i < point.labels.size(); ++i) {
      if (i == drawn.x || !tells_apart(bench.axes[i])) continue;
      if (is_machine_axis(bench.axes[i])) {
        machine.push_back(bench.axes[i].name + " " + point.labels[i]);
      } else if (i != drawn.panel) {
        way.push_back(point.labels[i]);
      }
    }
    records.push_back({{"x", point.labels[drawn.x]},
                       {"panel", drawn.panel < point.labels.size() ? point.labels[drawn.panel] : ""},
                       {"way", joined(way, ", ")},
                       {"machine", joined(machine, ", ")},
                       {"value", value},
                       {"row", row}});
  }
  return records;
}

bool has_one_way(const Json& records) {
  return std::ranges::all_of(records,
                             [&](const Json& record) { return record.at("way") == records.front().at("way"); });
}

/// Where a scale from 0 would show the largest alone.
bool spans_decades(const Json& records) {
  constexpr double kManyTimes = 50;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Json& record : records) {
    least = std::min(least, record.at("value").get<double>());
    most = std::max(most, record.at("value").get<double>());
  }
  return least > 0 && most > kManyTimes * least;
}

/// How many values the keys after the first have together.
std::size_t machines_of(const Json& records) {
  std::set<std::string> machines;
  for (const Json& record : records) machines.insert(record.at("machine"));
  return machines.size();
}

}  // namespace

bool is_machine_axis(const Axis& axis) {
  const AxisValue& value = axis.values.front();
  return value.fields.is_object() && !value.fields.empty() && find_topology_key(value.fields.begin().key());
}

std::vector<PointValue> values_at_points(const Bench& bench, const Results& simulated) {
  std::map<std::string, const Row*> rows;
  for (const Row& row : simulated.rows) rows[row.point.dump()] = &row;
  std::vector<PointValue> values;
  std::vector<LabelledPoint> points = expand_points(bench);
  for (LabelledPoint& point : points) {
    const auto found = rows.find(point.point.dump());
    const Json value = found == rows.end() ? Json() : metric(found->second, bench.report.front().metric);
    if (!value.is_number()) continue;
    values.push_back(
        {std::move(point), value.get<double>(), static_cast<std::size_t>(found->second - simulated.rows.data())});
  }
  return values;
}

Figure sweep_figure(const Bench& bench, const Results& simulated) {
  const Drawn drawn = drawn_of(bench.axes);
  const Axis& first = bench.axes[drawn.x];
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
  const Json records = records_of(bench, simulated, drawn);
  std::vector<std::string> panels;
  for (const Json& record : records) panels.push_back(record.at("panel"));
  panels = each_once(panels);
  const std::size_t machines = machines_of(records);
  spec["columns"] = kColumns;
  spec["facet"] = {{"field", "panel"}, {"type", "nominal"}, {"sort", panels}, {"title", nullptr}};
  spec["spec"]["width"] = panels.size() > 1 ? kPanel : 2 * kPanel;
  spec["spec"]["height"] = kPanel * 3 / 4;
  spec["spec"]["encoding"]["x"]["title"] = first.name;
  std::size_t letters = 0;
  for (const AxisValue& value : first.values) letters += value.label.size() + 1;
  if (letters < kLettersOfPanel * (panels.size() > 1 ? 1 : 2))
    spec["spec"]["encoding"]["x"]["axis"] = {{"labelAngle", 0}};
  spec["spec"]["encoding"]["y"]["title"] = bench.report.front().title;
  if (machines <= 1) spec["spec"]["encoding"].erase("strokeDash");
  if (machines > kMostDashes) spec["spec"]["encoding"]["strokeDash"] = {{"field", "machine"}, {"legend", nullptr}};
  if (has_one_way(records)) spec["spec"]["encoding"]["color"]["legend"] = nullptr;
  if (spans_decades(records)) {
    spec["spec"]["encoding"]["y"]["scale"] = {{"type", "log"}, {"nice", false}};
    spec["spec"]["encoding"]["y"]["axis"] = {{"tickCount", kTicks}};
  }
  spec["spec"]["params"] = Json::array({legend_selection("way")});
  spec["spec"]["encoding"]["opacity"] = if_selected();
  std::string linked;
  for (const auto& [key, value] : first.values.front().fields.items()) {
    if (find_topology_key(key) && key != first.name && !key.starts_with(first.name + "."))
      linked += (linked.empty() ? " With it goes " : " and ") + key;
  }
  std::vector<std::string> caption{"All else as it is." + linked + (linked.empty() ? "" : ".")};
  if (const std::string alike = alike_text(bench); !alike.empty()) caption.front() = alike + ". " + caption.front();
  spec["title"] = figure_title(title, simulated, caption);
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"sweep", title, std::move(spec)};
}

}  // namespace kernbench
