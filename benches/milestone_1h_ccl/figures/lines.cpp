#include "benches/milestone_1h_ccl/figures/lines.hpp"

#include <array>
#include <utility>

#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

constexpr const char* kGrey = "#8c959f";

constexpr std::array<std::pair<const char*, const char*>, 9> kAlgorithms{{{"ring", palette::kBlue},
                                                                          {"bidirectional_ring", palette::kSkyBlue},
                                                                          {"recursive_doubling", palette::kVermillion},
                                                                          {"halving_doubling", palette::kOrange},
                                                                          {"binary_tree", palette::kGreen},
                                                                          {"double_binary_tree", palette::kPurple},
                                                                          {"direct", kGrey},
                                                                          {"pairwise", palette::kYellow},
                                                                          {"hierarchical", palette::kInk}}};

}  // namespace

Json algorithm_colour(const std::vector<const Row*>& rows) {
  Json domain = Json::array();
  Json range = Json::array();
  for (const auto& [name, colour] : kAlgorithms) {
    for (const Row* row : rows) {
      const bool named =
          row->point.value("algorithm", "") == name || row->metrics.value_or(kFastestAlgorithm, "") == name;
      if (!named) continue;
      domain.push_back(name);
      range.push_back(colour);
      break;
    }
  }
  return {{"field", "algorithm"},
          {"type", "nominal"},
          {"title", nullptr},
          {"legend", {{"columns", 4}, {"symbolType", "circle"}}},
          {"scale", {{"domain", domain}, {"range", range}}}};
}

Json size_channel(const std::string& field, const std::string& title) {
  Json channel = Json::parse(R"json({
    "type": "quantitative",
    "scale": {"type": "log", "base": 2, "nice": false, "padding": 6},
    "axis": {"values": [16, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864, 268435456,
                        1073741824],
             "labelExpr": "indexof([16, 1024, 65536, 4194304, 268435456], datum.value) < 0 ? '' : datum.value < 1024 ? datum.value + ' B' : datum.value < 1048576 ? datum.value / 1024 + ' KiB' : datum.value < 1073741824 ? datum.value / 1048576 + ' MiB' : datum.value / 1073741824 + ' GiB'",
             "labelOverlap": false, "labelFlush": 10}
  })json");
  channel["field"] = field;
  channel["title"] = title;
  return channel;
}

Json time_channel(const std::string& field, const std::string& title) {
  Json channel = Json::parse(R"json({
    "type": "quantitative",
    "scale": {"type": "log", "nice": false, "padding": 6},
    "axis": {"values": [10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000],
             "labelExpr": "datum.value < 1e3 ? datum.value + ' ns' : datum.value < 1e6 ? datum.value / 1e3 + ' µs' : datum.value / 1e6 + ' ms'"}
  })json");
  channel["field"] = field;
  channel["title"] = title;
  return channel;
}

Json line_records(const std::vector<LineRecord>& lines, const Results& theory) {
  Json records = Json::array();
  for (const LineRecord& line : lines) {
    Json record = line.row->point;
    record["panel"] = line.panel;
    record["size"] = format_quantity(record.at("bytes").get<std::int64_t>(), Dimension::kBytes);
    record["status"] = line.row->status;
    for (const char* name : {"time_ns", "busbw_gbs", "ranks", "link_util_max", "busiest_link", "bound_fraction"}) {
      record[name] = metric(line.row, name);
    }
    const Row* bound = find_row(theory, line.row->point);
    for (const char* name : {"time_ns", "busbw_gbs", "bound", "ranks"}) {
      record[std::string("bound_") + name] = metric(bound, name);
    }
    records.push_back(std::move(record));
  }
  return records;
}

Json line_chart(const LineChart& chart) {
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"column": 22},
    "facet": {"column": {"field": "panel", "header": {"labelAnchor": "start", "title": null}}},
    "spec": {
      "layer": [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {}},
        {"mark": {"type": "point", "filled": true, "size": 40}, "encoding": {}},
        {"mark": {"type": "line", "strokeDash": [6, 4], "strokeWidth": 1.5}, "encoding": {}}
      ]
    }
  })json");
  spec["config"] = figure_config();
  spec["facet"]["column"]["sort"] = chart.panels;
  Json& unit = spec["spec"];
  unit["width"] = chart.width;
  unit["height"] = chart.height;
  for (const std::size_t layer : {0U, 1U}) {
    Json& encoding = unit["layer"][layer]["encoding"];
    encoding["x"] = chart.x;
    encoding["y"] = chart.y;
    encoding["color"] = chart.colour;
    encoding["opacity"] = if_selected();
  }
  unit["layer"][0]["params"] = Json::array({legend_selection(chart.series)});
  unit["layer"][1]["encoding"]["tooltip"] = chart.tooltip;
  Json& bound = unit["layer"][2]["encoding"];
  bound["x"] = chart.x;
  bound["y"] = chart.bound;
  bound["color"] = chart.bound_each ? chart.colour : Json{{"value", palette::kInk}};
  bound["strokeDash"] = {{"datum", "bound (closed form)"},
                         {"type", "nominal"},
                         {"title", nullptr},
                         {"legend", {{"symbolType", "stroke"}, {"symbolSize", 400}}},
                         {"scale", {{"range", Json::array({Json::array({6, 4})})}}}};
  return spec;
}

Json collective_tooltip() {
  return Json::parse(R"json([
    {"field": "collective"}, {"field": "algorithm"}, {"field": "ranks"}, {"field": "size"},
    {"field": "time_ns", "title": "time (ns)", "format": ","},
    {"field": "busbw_gbs", "title": "busbw (GB/s)", "format": ".2f"},
    {"field": "bound_time_ns", "title": "bound (ns)", "format": ","},
    {"field": "bound_bound", "title": "bound by"},
    {"field": "link_util_max", "title": "busiest link in use", "format": ".1%"},
    {"field": "busiest_link", "title": "busiest link"}])json");
}

}  // namespace kernbench
