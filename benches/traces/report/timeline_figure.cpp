// Where each rank's time went, as a figure.
#include <algorithm>
#include <array>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

struct Part {
  const char* column;
  const char* words;
  const char* colour;
};

/// In the order in which they are stacked; they add up to total_us (40.13, 40.14).
constexpr std::array<Part, 7> kParts{{
    {"computation_us", "computation", palette::kGreen},
    {"exposed_comm_us", "exposed communication", palette::kBlue},
    {"exposed_copy_us", "exposed copies", palette::kPaleBlue},
    {"idle_host_us", "idle: host", palette::kVermillion},
    {"idle_dependency_us", "idle: dependency", palette::kOrange},
    {"idle_gap_us", "idle: gap", palette::kPaleOrange},
    {"idle_unknown_us", "idle: unknown", palette::kPaleGrey},
}};

constexpr int kShareWidth = 640;
constexpr std::size_t kManyBars = 64;

Json part_scale(const Json& records) {
  Json scale{{"domain", Json::array()}, {"range", Json::array()}};
  for (const Part& part : kParts) {
    const auto has = [&part](const Json& record) { return record.at("part") == part.words && record.at("us") > 0; };
    if (std::ranges::none_of(records, has)) continue;
    scale["domain"].push_back(part.words);
    scale["range"].push_back(part.colour);
  }
  return scale;
}

}  // namespace

Figure timeline_figure(const TraceTable& timeline, const std::string& source) {
  const std::string title = "Where each rank's time went";
  const TableValues table(timeline);
  std::vector<std::string> points = table.places();
  if (!points.empty()) points.pop_back();
  Json records = Json::array();
  Json order = Json::array();
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string point = place_text(table, row, points);
    if (std::ranges::find(order, Json(point)) == order.end()) order.push_back(point);
    const double total = table.number(row, "total_us").value_or(0);
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      const double us = table.number(row, kParts[i].column).value_or(0);
      records.push_back({{"point", point},
                         {"rank", table.text(row, "rank")},
                         {"part", kParts[i].words},
                         {"place", i},
                         {"us", us},
                         {"total_us", total}});
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "transform": [{"calculate": "datum.total_us > 0 ? datum.us / datum.total_us : 0", "as": "share"}],
    "mark": {"type": "bar", "height": {"band": 0.86}},
    "encoding": {
      "x": {"field": "share", "type": "quantitative", "title": "share of the rank's total time", "stack": "zero",
            "scale": {"domain": [0, 1], "nice": false}, "axis": {"format": ".0%"}},
      "y": {"field": "rank", "type": "nominal", "sort": null, "title": "rank"},
      "order": {"field": "place", "type": "quantitative"},
      "color": {"field": "part", "type": "nominal", "title": null},
      "tooltip": [{"field": "point"}, {"field": "rank"}, {"field": "part"}, {"field": "share", "format": ".1%"},
                  {"field": "us", "title": "time (µs)", "format": ",.3f"},
                  {"field": "total_us", "title": "of (µs)", "format": ",.3f"}]
    }
  })json");
  spec["params"] = Json::array({legend_selection("part")});
  spec["encoding"]["opacity"] = if_selected();
  const Json scale = part_scale(records);
  spec["encoding"]["color"]["scale"] = scale;
  spec["encoding"]["color"]["legend"] = {{"columns", scale.at("domain").size() > 5 ? 4 : 5}};
  spec["width"] = kShareWidth;
  spec["height"] = {{"step", table.size() > kManyBars ? 9 : 16}};
  if (order.size() > 1) {
    spec["encoding"]["row"] = {
        {"field", "point"},
        {"type", "nominal"},
        {"title", nullptr},
        {"sort", order},
        {"spacing", 6},
        {"header", {{"labelAngle", 0}, {"labelAlign", "left"}, {"labelFontSize", 12.5}, {"labelFontWeight", 400}}}};
  }
  spec["title"] = figure_title(title, source,
                               {"computation + exposed communication + exposed copies + idle = total. Idle by what the "
                                "next event waited for:",
                                "the host, that launched it late; a dependency (2 µs or longer); a shorter gap."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"timeline", title, std::move(spec)};
}

}  // namespace kernbench::traces
