// The bus bandwidth of collectives against their size, beside what they reach alone.
#include <algorithm>
#include <utility>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

constexpr int kBusbwHeight = 200;
constexpr int kBusbwWidth = 720;  // of the panels of a row
constexpr int kMostBusbwInARow = 4;
constexpr std::size_t kMostBusbwPanels = 8;
constexpr std::size_t kMostBusbwDots = 1500;  // of a panel

/// Records of a point.
struct BusbwPanel {
  std::string point;
  Json dots = Json::array();
};

/// "allreduce of 4 ranks"; where not all of them are seen it says that its busbw is at least that.
std::string kind_of(const TableValues& table, std::size_t row) {
  const bool lacks_ranks = !table.text(row, "missing_ranks").empty();
  return table.text(row, "collective") + " of " + table.text(row, "ranks") + " ranks" +
         (lacks_ranks ? ", some missing: at least" : "");
}

/// Rows that have a busbw, by point.
std::vector<BusbwPanel> panels_by_point(const TableValues& table, const std::vector<std::string>& axes) {
  std::vector<BusbwPanel> panels;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto busbw = table.number(row, "busbw_gbs");
    if (!busbw) continue;
    const std::string point = place_text(table, row, axes);
    auto found = std::ranges::find(panels, point, &BusbwPanel::point);
    if (found == panels.end()) found = panels.insert(found, {point, Json::array()});
    const auto alone = table.number(row, "alone_us");
    found->dots.push_back({{"kind", kind_of(table, row)},
                           {"index", table.text(row, "index")},
                           {"bytes", table.number(row, "bytes").value_or(0)},
                           {"busbw", *busbw},
                           {"latency", table.number(row, "latency_us").value_or(0)},
                           {"alone", alone ? Json(*alone) : Json()},
                           {"basis", table.text(row, "alone_basis")}});
  }
  return panels;
}

std::vector<std::string> values_of(const std::vector<BusbwPanel>& panels, const char* field) {
  std::vector<std::string> values;
  for (const BusbwPanel& panel : panels) {
    for (const Json& dot : panel.dots) {
      std::string value = dot.at(field).get<std::string>();
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
  }
  return values;
}

/// Half the least to twice the most, so that one size alone has an axis.
Json sizes_of(const std::vector<BusbwPanel>& panels) {
  double least = panels.front().dots[0].at("bytes");
  double most = least;
  for (const BusbwPanel& panel : panels) {
    for (const Json& dot : panel.dots) {
      least = std::min(least, dot.at("bytes").get<double>());
      most = std::max(most, dot.at("bytes").get<double>());
    }
  }
  return {least / 2, most * 2};
}

/// Every n-th where there are too many.
Json thinned(const Json& dots) {
  Json kept = Json::array();
  const std::size_t step = (dots.size() + kMostBusbwDots - 1) / kMostBusbwDots;
  for (std::size_t i = 0; i < dots.size(); i += step) kept.push_back(dots[i]);
  return kept;
}

bool has_alone(const Json& dots) {
  return std::ranges::any_of(dots, [](const Json& dot) { return !dot.at("alone").is_null(); });
}

/// One mark a kind and size: what the first of them says.
Json alone_layer(const Json& dots, const std::vector<std::string>& kinds) {
  Json layer = Json::parse(R"json({
    "transform": [{"filter": "isValid(datum.alone)"},
                  {"calculate": "datum.busbw * datum.latency / datum.alone", "as": "alone_busbw"}],
    "mark": {"type": "tick", "orient": "horizontal", "thickness": 2.5, "width": 34},
    "encoding": {
      "x": {"field": "bytes", "type": "quantitative"},
      "y": {"field": "alone_busbw", "type": "quantitative"},
      "tooltip": [{"field": "kind"}, {"field": "bytes", "format": ","},
                  {"field": "alone_busbw", "title": "alone (GB/s)", "format": ",.2f"},
                  {"field": "alone", "title": "alone (µs)", "format": ",.3f"}, {"field": "basis"}]
    }
  })json");
  if (kinds.size() == 1) {
    layer["mark"]["color"] = palette::kInk;
  } else {
    layer["encoding"]["color"] = {{"field", "kind"}, {"type", "nominal"}, {"scale", colour_scale(kinds)}};
  }
  Json kept = Json::array();
  for (const Json& dot : dots) {
    const auto same = [&dot](const Json& other) {
      return other.at("kind") == dot.at("kind") && other.at("bytes") == dot.at("bytes");
    };
    if (std::ranges::none_of(kept, same)) kept.push_back(dot);
  }
  layer["data"] = {{"values", std::move(kept)}};
  return layer;
}

Json panel_of(const BusbwPanel& panel, const Json& sizes, const std::vector<std::string>& kinds) {
  Json spec = Json::parse(R"json({
    "layer": [
      {"mark": {"type": "point", "filled": true, "size": 40, "fillOpacity": 0.55, "aria": false},
       "encoding": {
         "x": {"field": "bytes", "type": "quantitative", "title": "bytes",
               "scale": {"type": "log", "base": 2, "nice": false},
               "axis": {"tickCount": 4, "labelOverlap": "greedy", "labelFlush": false,
                        "labelExpr": "datum.value < 1024 ? datum.value + ' B' : datum.value < 1048576 ? format(datum.value / 1024, '.4~r') + ' KiB' : datum.value < 1073741824 ? format(datum.value / 1048576, '.4~r') + ' MiB' : format(datum.value / 1073741824, '.4~r') + ' GiB'"}},
         "y": {"field": "busbw", "type": "quantitative", "title": "busbw (GB/s)", "scale": {"zero": true}},
         "color": {"field": "kind", "type": "nominal", "title": null, "legend": {"columns": 4, "symbolOpacity": 1}},
         "tooltip": [{"field": "kind"}, {"field": "index", "title": "collective"}, {"field": "bytes", "format": ","},
                     {"field": "busbw", "title": "busbw (GB/s)", "format": ",.2f"},
                     {"field": "latency", "title": "latency (µs)", "format": ",.3f"}]}}
    ]
  })json");
  spec["height"] = kBusbwHeight;
  spec["layer"][0]["data"] = {{"values", thinned(panel.dots)}};
  spec["layer"][0]["encoding"]["x"]["scale"]["domain"] = sizes;
  spec["layer"][0]["encoding"]["color"]["scale"] = colour_scale(kinds);
  if (has_alone(panel.dots)) spec["layer"].push_back(alone_layer(panel.dots, kinds));
  return spec;
}

std::vector<std::string> notes_of(const std::vector<BusbwPanel>& panels, std::size_t all) {
  std::vector<std::string> notes{
      "Bytes over the latency, times the kind's factor, as nccl-tests counts; a dot: a collective."};
  const auto knows_alone = [](const BusbwPanel& panel) { return has_alone(panel.dots); };
  if (std::ranges::any_of(panels, knows_alone)) {
    notes.emplace_back("The lines: what it reaches on this device with nothing beside it (reference data).");
  }
  const auto is_thinned = [](const BusbwPanel& panel) { return panel.dots.size() > kMostBusbwDots; };
  if (std::ranges::any_of(panels, is_thinned)) {
    notes.push_back("Of more than " + std::to_string(kMostBusbwDots) + " collectives every n-th is a dot.");
  }
  if (all > panels.size()) {
    notes.push_back("The first " + std::to_string(panels.size()) + " of " + std::to_string(all) + " points.");
  }
  return notes;
}

}  // namespace

std::optional<Figure> busbw_figure(const TraceTable& collectives, const std::vector<std::string>& axes,
                                   const std::string& source) {
  std::vector<BusbwPanel> points = panels_by_point(TableValues(collectives), axes);
  if (points.empty()) return std::nullopt;
  const std::size_t all = points.size();
  points.resize(std::min(all, kMostBusbwPanels));
  const Json sizes = sizes_of(points);
  const std::vector<std::string> kinds = values_of(points, "kind");
  const int in_a_row = std::min<int>(kMostBusbwInARow, static_cast<int>(points.size()));
  std::vector<std::string> titles;
  std::vector<Json> panels;
  for (const BusbwPanel& point : points) {
    titles.push_back(point.point);
    panels.push_back(panel_of(point, sizes, kinds));
    panels.back()["width"] = std::min(kBusbwWidth / in_a_row, 420) - 60;
  }
  const std::string title = "Bus bandwidth of collectives against their size";
  Json spec = panels_of(titles, std::move(panels), in_a_row);
  spec["resolve"] = {{"scale", {{"y", "shared"}}}};
  spec["title"] = figure_title(title, source, notes_of(points, all));
  return Figure{"collective_busbw", title, std::move(spec)};
}

}  // namespace kernbench::traces
