// The mesh of a package as a map: every link between neighbouring routers, coloured by how busy it is.
#include <algorithm>

#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/rows.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/milestone_1h_ccl/figures.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

/// "ring, 1 MiB": the panel of a row.
std::string panel_of(const Row& row) {
  return row.point.at("algorithm").get<std::string>() + ", " +
         format_quantity(row.point.at("bytes").get<std::int64_t>(), Dimension::kBytes);
}

/// Where the two directions between two routers are drawn: beside each other, each on the right of its way, so that
/// neither hides the other. Positions are those of the drawing, not of the results.
void place(const LinkRow& link, Json& record) {
  constexpr double kAside = 0.13;
  constexpr double kFromRouter = 0.17;
  const auto dx = static_cast<double>(link.to_x - link.from_x);
  const auto dy = static_cast<double>(link.to_y - link.from_y);  // down, as rows count
  const double side_x = -dy * kAside;
  const double side_y = dx * kAside;
  record["x"] = static_cast<double>(link.from_x) + kFromRouter * dx + side_x;
  record["y"] = static_cast<double>(link.from_y) + kFromRouter * dy + side_y;
  record["x2"] = static_cast<double>(link.to_x) - kFromRouter * dx + side_x;
  record["y2"] = static_cast<double>(link.to_y) - kFromRouter * dy + side_y;
  record["head"] = dx > 0 ? "triangle-right" : dx < 0 ? "triangle-left" : dy > 0 ? "triangle-down" : "triangle-up";
}

}  // namespace

Figure link_utilisation(const Results& sim) {
  const std::string title = "all_reduce in a package: how busy each link of the mesh is";
  Json records = Json::array();
  std::vector<const Row*> rows;
  Json panels = Json::array();
  std::int64_t columns = 1;
  std::int64_t lines = 1;
  for (const Row& row : sim.rows) {
    if (row.links.empty()) continue;
    rows.push_back(&row);
    panels.push_back(panel_of(row));
    for (const LinkRow& link : row.links) {
      Json record = row.point;
      record["panel"] = panel_of(row);
      record["name"] = link.name;
      record["wires"] = link.wires;
      record["utilisation"] = link.utilisation;
      place(link, record);
      records.push_back(std::move(record));
      columns = std::max(columns, link.from_x + 1);
      lines = std::max(lines, link.from_y + 1);
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"row": 22},
    "facet": {"row": {"field": "panel", "type": "nominal", "title": null, "header": {"labelOrient": "top", "labelAnchor": "start"}}},
    "spec": {
      "layer": [
        {"mark": {"type": "rule", "strokeWidth": 7},
         "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}}},
        {"mark": {"type": "point", "filled": true, "size": 70, "opacity": 1},
         "encoding": {"x": {"field": "x2", "type": "quantitative"}, "y": {"field": "y2", "type": "quantitative"},
                      "shape": {"field": "head", "type": "nominal", "scale": null, "legend": null}}}
      ]
    }
  })json");
  Json& unit = spec["spec"];
  constexpr int kCell = 50;
  unit["width"] = columns * kCell;
  unit["height"] = lines * kCell;
  const auto position = [](const char* field, const char* heading, std::int64_t count, bool down) {
    Json values = Json::array();
    for (std::int64_t i = 0; i < count; ++i) values.push_back(i);
    Json domain = {-0.5, static_cast<double>(count) - 0.5};
    if (down) domain = {static_cast<double>(count) - 0.5, -0.5};
    return Json{{"field", field},
                {"type", "quantitative"},
                {"title", heading},
                {"scale", {{"domain", domain}, {"nice", false}, {"zero", false}}},
                {"axis", {{"values", values}, {"format", "d"}, {"grid", false}, {"ticks", false}, {"domain", false}}}};
  };
  Json& encoding = unit["encoding"];
  encoding["x"] = position("x", "router column of the package", columns, false);
  encoding["y"] = position("y", "router row", lines, true);
  encoding["color"] = Json::parse(R"json({
    "field": "utilisation", "type": "quantitative", "title": "time in which the link carries bytes ÷ time of the all_reduce",
    "scale": {"domain": [0, 1], "range": ["#d8dee4", "#F0E442", "#E69F00", "#D55E00", "#7a1f00"]},
    "legend": {"orient": "top", "format": ".0%", "gradientLength": 300, "titleLimit": 500}})json");
  encoding["tooltip"] = Json::parse(R"json([
    {"field": "name", "title": "link"}, {"field": "wires", "title": "parallel wires"},
    {"field": "utilisation", "format": ".1%"}])json");
  spec["facet"]["row"]["sort"] = panels;
  spec["title"] = figure_title(
      title, sim, {"Each direction on the right of its way. Between dies several wires run in parallel: their mean."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"link_utilisation", title, std::move(spec)};
}

}  // namespace kernbench
