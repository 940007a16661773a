// The fastest algorithm, as the derived rows name it: a map of sizes by scales, and one of sizes by collectives.
#include <algorithm>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/figures/lines.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

struct Map {
  Json records = Json::array();
  std::vector<const Row*> rows;
  std::vector<std::string> columns;

  void add(const Row& row, const std::string& column) {
    Json record = row.point;
    record["column"] = column;
    record["size"] = format_quantity(record.at("bytes").get<std::int64_t>(), Dimension::kBytes);
    for (const auto& [name, value] : row.metrics.json().items()) record[name] = value;
    records.push_back(std::move(record));
    rows.push_back(&row);
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  }
};

Figure draw(const std::string& name, const std::string& title, const std::string& note, const Results& sim, Map map,
            int column_width) {
  std::stable_sort(map.records.begin(), map.records.end(),
                   [](const Json& a, const Json& b) { return a.at("bytes") < b.at("bytes"); });
  Json sizes = Json::array();
  for (const Json& record : map.records) {
    if (std::find(sizes.begin(), sizes.end(), record.at("size")) == sizes.end()) sizes.push_back(record.at("size"));
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "height": {"step": 54},
    "encoding": {
      "x": {"field": "column", "type": "nominal", "title": null,
            "axis": {"orient": "top", "labelAngle": 0, "ticks": false, "domain": false, "labelFontWeight": 700}},
      "y": {"field": "size", "type": "nominal", "title": "size", "axis": {"ticks": false, "domain": false, "grid": false}},
      "tooltip": [{"field": "collective"}, {"field": "column"}, {"field": "size"}, {"field": "algorithm"},
                  {"field": "time_ns", "title": "time (ns)", "format": ","},
                  {"field": "next"}, {"field": "next_time_ns", "title": "time of the next (ns)", "format": ","}]
    },
    "layer": [
      {"mark": {"type": "rect", "opacity": 0.32, "stroke": "#ffffff", "strokeWidth": 3}, "encoding": {}},
      {"transform": [{"filter": "!datum.tie"}],
       "mark": {"type": "text", "dy": -7, "fontWeight": 700}, "encoding": {"text": {"field": "algorithm"}}},
      {"transform": [{"filter": "!datum.tie"}],
       "mark": {"type": "text", "dy": 9}, "encoding": {"text": {"field": "printed"}}},
      {"transform": [{"filter": "datum.tie"}],
       "mark": {"type": "text", "dy": -16, "fontWeight": 700}, "encoding": {"text": {"field": "algorithm"}}},
      {"transform": [{"filter": "datum.tie"}],
       "mark": {"type": "text", "dy": 0, "fontWeight": 700}, "encoding": {"text": {"field": "tied"}}},
      {"transform": [{"filter": "datum.tie"}],
       "mark": {"type": "text", "dy": 16}, "encoding": {"text": {"field": "time"}}}
    ]
  })json");
  spec["transform"] =
      Json::array({{{"calculate", time_text("time_ns")}, {"as", "time"}},
                   {{"calculate", "datum.time + ', next ' + format(datum.next_time_ns / datum.time_ns - 1, '+.0%')"},
                    {"as", "printed"}},
                   {{"calculate", "'tie with ' + datum.next"}, {"as", "tied"}}});
  spec["width"] = {{"step", column_width}};
  spec["encoding"]["x"]["sort"] = map.columns;
  spec["encoding"]["y"]["sort"] = sizes;
  spec["layer"][0]["encoding"]["color"] = algorithm_colour(map.rows);
  spec["layer"][0]["encoding"]["color"]["legend"] = nullptr;
  spec["title"] = figure_title(title, sim, {note});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(map.records)}};
  return {name, title, std::move(spec)};
}

std::string column_of_scale(const Json& point) {
  std::string column = point.at("scale");
  if (column != "system") return column;
  return point.at("packages").get<std::string>() + " packages, " + point.at("arrangement").get<std::string>();
}

constexpr const char* kNote = "The fastest, its time, and how much longer the next one takes; within 1 % it is a tie.";

}  // namespace

Figure best_algorithm(const Results& sim) {
  Map map;
  for (const Row* row : rows_where(sim, {{"derived", "best"}, {"collective", "all_reduce"}, {"pes", nullptr}})) {
    const std::string packages = row->point.value("packages", "");
    if (packages != "1x2" && packages != "1x3") map.add(*row, column_of_scale(row->point));
  }
  // The die, then the package, then all packages.
  std::stable_sort(map.columns.begin(), map.columns.end(), [](const std::string& a, const std::string& b) {
    const auto place = [](const std::string& column) { return column == "die" ? 0 : column == "package" ? 1 : 2; };
    return place(a) < place(b);
  });
  return draw("best_algorithm", "The fastest all_reduce by size and scale", kNote, sim, std::move(map), 215);
}

Figure best_algorithm_by_collective(const Results& sim) {
  Map map;
  for (const Row* row : rows_where(sim, {{"derived", "best"}, {"scale", "die"}, {"pes", nullptr}})) {
    if (row->point.at("collective") != "all_reduce") map.add(*row, row->point.at("collective"));
  }
  return draw("best_algorithm_by_collective", "The fastest algorithm of the other collectives on a die", kNote, sim,
              std::move(map), 150);
}

}  // namespace kernbench
