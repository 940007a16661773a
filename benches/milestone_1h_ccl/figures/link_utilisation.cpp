// The mesh of a package as a map: every link between neighbouring routers, coloured by how busy it is.
#include <algorithm>
#include <map>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
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

/// Dies, as far as the links' names tell: the rectangle of routers of each, to be drawn behind them.
class Dies {
 public:
  void add(const LinkRow& link, const std::string& panel) {
    const std::string router = link.name.substr(0, link.name.find(' '));
    const std::string die = router.substr(0, router.rfind('.'));
    Json& box = boxes_[panel + die];
    if (box.is_null())
      box = {{"panel", panel},       {"die", die},         {"left", link.from_x},
             {"right", link.from_x}, {"top", link.from_y}, {"bottom", link.from_y}};
    box["left"] = std::min(box["left"].get<std::int64_t>(), link.from_x);
    box["right"] = std::max(box["right"].get<std::int64_t>(), link.from_x);
    box["top"] = std::min(box["top"].get<std::int64_t>(), link.from_y);
    box["bottom"] = std::max(box["bottom"].get<std::int64_t>(), link.from_y);
  }

  void append_to(Json& records) const {
    constexpr double kMargin = 0.46;
    for (const auto& [name, box] : boxes_) {
      Json record{{"panel", box["panel"]}, {"die", box["die"]}};
      record["left"] = box["left"].get<double>() - kMargin;
      record["right"] = box["right"].get<double>() + kMargin;
      record["top"] = box["top"].get<double>() - kMargin;
      record["bottom"] = box["bottom"].get<double>() + kMargin;
      records.push_back(std::move(record));
    }
  }

 private:
  std::map<std::string, Json> boxes_;
};

}  // namespace

Figure link_utilisation(const Results& sim) {
  const std::string title = "all_reduce in a package: how busy each link of the mesh is";
  Json records = Json::array();
  std::vector<const Row*> rows;
  Json panels = Json::array();
  Dies dies;
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
      dies.add(link, panel_of(row));
      records.push_back(std::move(record));
      columns = std::max(columns, link.from_x + 1);
      lines = std::max(lines, link.from_y + 1);
    }
  }
  dies.append_to(records);
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"row": 22},
    "facet": {"row": {"field": "panel", "type": "nominal", "title": null, "header": {"labelOrient": "top", "labelAnchor": "start"}}},
    "spec": {
      "layer": [
        {"transform": [{"filter": "isValid(datum.left)"}],
         "mark": {"type": "rect", "fill": null, "stroke": "#8c959f", "strokeWidth": 1},
         "encoding": {"x": {"field": "left", "type": "quantitative"}, "x2": {"field": "right"},
                      "y": {"field": "top", "type": "quantitative"}, "y2": {"field": "bottom"}}},
        {"transform": [{"filter": "isValid(datum.x)"}],
         "mark": {"type": "rule", "strokeWidth": 7},
         "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}}},
        {"transform": [{"filter": "isValid(datum.x)"}],
         "mark": {"type": "point", "filled": true, "size": 70, "opacity": 1},
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
  unit["layer"][1]["encoding"]["x"] = position("x", "router column of the package", columns, false);
  unit["layer"][1]["encoding"]["y"] = position("y", "router row", lines, true);
  const Json colour = Json::parse(R"json({
    "field": "utilisation", "type": "quantitative", "title": "link utilisation",
    "scale": {"domain": [0, 1], "interpolate": "rgb", "range": ["#d8dee4", "#F0E442", "#E69F00", "#D55E00", "#7a1f00"]},
    "legend": {"format": ".0%"}})json");
  const Json tooltip = Json::parse(R"json([
    {"field": "name", "title": "link"}, {"field": "wires", "title": "connections"},
    {"field": "utilisation", "format": ".1%"}])json");
  for (const std::size_t layer : {1U, 2U}) {
    unit["layer"][layer]["encoding"]["color"] = colour;
    unit["layer"][layer]["encoding"]["tooltip"] = tooltip;
  }
  spec["facet"]["row"]["sort"] = panels;
  spec["title"] = figure_title(title, sim,
                               {"Utilisation: time in which a link carries bytes ÷ time of the all_reduce. Each "
                                "direction on the right of its way.",
                                "Frames are dies."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"link_utilisation", title, std::move(spec)};
}

}  // namespace kernbench
