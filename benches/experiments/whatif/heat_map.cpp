#include "benches/experiments/whatif/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kMapWidth = 620;    ///< of one map alone, at most
constexpr int kPanelWidth = 350;  ///< of one of several
constexpr int kMapColumns = 2;    ///< of panels
constexpr std::size_t kMostPanels = 6;
constexpr int kMostStep = 76;            ///< of a cell
constexpr int kMostHeight = 34;          ///< of a cell
constexpr int kLabelStep = 50;           ///< the least width of a cell with a number in it
constexpr int kLabelHeight = 18;         ///< and the least height
constexpr double kLogarithmic = 3;       ///< times from the least to the most, from which colours are logarithmic
constexpr double kDarkCell = 0.65;       ///< of the colour scale: from here a number is white
constexpr std::size_t kLetterWidth = 7;  ///< about: labels that are wider together than the map are turned

/// The best of each pair.
using BestCells = std::map<std::tuple<std::string, std::size_t, std::size_t>, HeatCell>;

BestCells best_cells(const HeatMap& map) {
  BestCells best;
  for (const HeatCell& cell : map.cells) {
    const auto [found, is_new] = best.try_emplace({cell.panel, cell.x, cell.y}, cell);
    HeatCell& there = found->second;
    if (!is_new && (map.maximise ? cell.value > there.value : cell.value < there.value)) there = cell;
  }
  return best;
}

std::vector<std::string> panels_of(const HeatMap& map) {
  std::vector<std::string> panels;
  for (const HeatCell& cell : map.cells) {
    if (std::ranges::find(panels, cell.panel) == panels.end()) panels.push_back(cell.panel);
  }
  return panels;
}

/// From the least to the most value, by which cells are coloured.
struct ColourScale {
  double least = 0;
  double most = 0;
  [[nodiscard]] bool is_log() const { return least > 0 && most > kLogarithmic * least; }
  [[nodiscard]] double place(double value) const {
    if (most <= least) return 0;
    return is_log() ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
  }
  /// The value in the middle of the scale.
  [[nodiscard]] double middle() const { return is_log() ? std::sqrt(least * most) : (least + most) / 2; }
};

Json records_of(const HeatMap& map, const BestCells& cells, const ColourScale& scale) {
  std::map<std::string, const HeatCell*> best;  // of each panel, of equal ones the first
  for (const auto& [place, cell] : cells) {
    const HeatCell*& one = best[cell.panel];
    if (one == nullptr || (map.maximise ? cell.value > one->value : cell.value < one->value)) one = &cell;
  }
  Json records = Json::array();
  for (const auto& [place, cell] : cells) {
    records.push_back({{"x", map.x.values[cell.x].label},
                       {"y", map.y.values[cell.y].label},
                       {"panel", cell.panel},
                       {"value", cell.value},
                       {"text", short_number(cell.value)},
                       {"dark", scale.place(cell.value) > kDarkCell},
                       {"best", best.at(cell.panel) == &cell},
                       {"others", cell.others},
                       {"row", cell.row}});
  }
  return records;
}

/// Which value of the axis has this label.
std::size_t place_of(const Axis& axis, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(axis.values, label, &AxisValue::label) - axis.values.begin());
}

/// The point of the bench itself, and the keys that are not on the map, in words.
std::pair<std::string, std::string> others_of(const Bench& bench, const LabelledPoint& point, std::size_t x,
                                              std::size_t y) {
  std::vector<std::string> own;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < point.labels.size(); ++i) {
    if (!tells_apart(bench.axes[i])) continue;
    if (!is_machine_axis(bench.axes[i])) {
      own.push_back(point.labels[i]);
    } else if (i != x && i != y) {
      keys.push_back(bench.axes[i].name + " " + point.labels[i]);
    }
  }
  return {joined(own, ", "), joined(keys, ", ")};
}

/// The labels of an axis as the domain of a band.
Json labels_of(const Axis& axis) {
  Json labels = Json::array();
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  return labels;
}

std::size_t letters_of(const Axis& axis) {
  std::size_t letters = 0;
  for (const AxisValue& value : axis.values) letters += value.label.size() + 1;
  return letters;
}

Json map_spec() {
  return Json::parse(R"json({
    "encoding": {
      "x": {"field": "x", "type": "ordinal", "axis": {"ticks": false, "domain": false, "labelOverlap": "greedy"}},
      "y": {"field": "y", "type": "ordinal", "axis": {"ticks": false, "domain": false, "labelOverlap": "greedy"}},
      "tooltip": [{"field": "x"}, {"field": "y"}, {"field": "value", "format": ",.6~g"}]
    },
    "layer": [
      {"mark": {"type": "rect"}, "encoding": {"color": {"field": "value", "type": "quantitative"}}},
      {"transform": [{"filter": "datum.best || datum.row === linked_row"}], "mark": {"type": "rect", "fillOpacity": 0, "strokeWidth": 3}}
    ]
  })json");
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> heat_map_axes(const std::vector<Axis>& axes) {
  std::vector<std::size_t> keys;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (is_machine_axis(axes[i]) && axes[i].values.size() > 1) keys.push_back(i);
  }
  return keys.size() < 2 ? std::nullopt : std::optional(std::pair(keys[0], keys[1]));
}

std::optional<Figure> heat_map_figure(const HeatMap& map, const Results& results) {
  const BestCells cells = best_cells(map);
  const std::vector<std::string> panels = panels_of(map);
  if (cells.size() * 3 < map.x.values.size() * map.y.values.size() * panels.size() || cells.empty())
    return std::nullopt;
  const auto value = [](const auto& cell) { return cell.second.value; };
  const auto [least, most] = std::ranges::minmax_element(cells, {}, value);
  const ColourScale scale{value(*least), value(*most)};

  const int step =
      std::min((panels.size() > 1 ? kPanelWidth : kMapWidth) / static_cast<int>(map.x.values.size()), kMostStep);
  const int height = std::min(kMapWidth / 2 / static_cast<int>(map.y.values.size()) + 1, kMostHeight);
  Json spec = map_spec();
  spec["width"] = std::max(step, 2) * static_cast<int>(map.x.values.size());
  spec["height"] = std::max(height, 2) * static_cast<int>(map.y.values.size());
  Json& encoding = spec["encoding"];
  encoding["x"]["title"] = map.x.name;
  encoding["x"]["scale"] = {{"domain", labels_of(map.x)}};
  encoding["x"]["axis"]["labelAngle"] = letters_of(map.x) * kLetterWidth < spec["width"].get<std::size_t>() ? 0 : -40;
  Json rows = labels_of(map.y);
  std::reverse(rows.begin(), rows.end());  // the first at the bottom
  encoding["y"]["title"] = map.y.name;
  encoding["y"]["scale"] = {{"domain", rows}};
  encoding["tooltip"][0]["title"] = map.x.name;
  encoding["tooltip"][1]["title"] = map.y.name;
  encoding["tooltip"][2]["title"] = map.metric;
  const bool has_others = std::ranges::any_of(map.cells, [](const HeatCell& cell) { return !cell.others.empty(); });
  if (has_others) encoding["tooltip"].push_back({{"field", "others"}, {"title", "with"}});
  Json& colour = spec["layer"][0]["encoding"]["color"];
  colour["title"] = map.metric;
  colour["scale"] = {{"type", scale.is_log() ? "log" : "linear"},
                     {"domain", {scale.least, scale.most}},
                     {"scheme", "yellowgreenblue"}};
  colour["legend"] = {
      {"gradientLength", 260}, {"format", ",.4~r"}, {"values", {scale.least, scale.middle(), scale.most}}};
  spec["layer"][1]["encoding"]["stroke"] = if_linked(palette::kInk, palette::kVermillion);
  if (step >= kLabelStep && height >= kLabelHeight) {
    spec["layer"].push_back(Json::parse(R"json({
      "mark": {"type": "text"},
      "encoding": {"text": {"field": "text"},
                   "color": {"condition": {"test": "datum.dark", "value": "white"}, "value": "black"}}
    })json"));
  }
  if (panels.size() > 1) {
    Json map_of_panel = std::move(spec);
    spec = {{"columns", kMapColumns},
            {"facet", {{"field", "panel"}, {"type", "nominal"}, {"sort", panels}, {"title", nullptr}}},
            {"spec", std::move(map_of_panel)}};
  }
  std::vector<std::string> notes{"In a frame: the " + std::string(map.maximise ? "most" : "least") + ". " + map.gap};
  if (!map.best_over.empty()) notes.push_back("Each cell has the best over " + joined_in_words(map.best_over) + ".");
  const std::string title = map.metric + " over " + map.x.name + " and " + map.y.name;
  spec["params"] = linked_rows();
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["title"] = figure_title(title, results, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", records_of(map, cells, scale)}};
  return Figure{"heat_map", title, std::move(spec)};
}

std::optional<Figure> sweep_heat_map(const Bench& bench, const Results& simulated) {
  const auto axes = heat_map_axes(bench.axes);
  if (!axes) return std::nullopt;
  const auto [x, y] = *axes;
  HeatMap map{.x = bench.axes[x], .y = bench.axes[y], .metric = bench.report.front().title};
  std::vector<std::string> panels;
  bool left_out = false;
  for (const auto& [point, value, row] : values_at_points(bench, simulated)) {
    auto [own, keys] = others_of(bench, point, x, y);
    if (std::ranges::find(panels, own) == panels.end()) {
      if (panels.size() == kMostPanels) {
        left_out = true;
        continue;
      }
      panels.push_back(own);
    }
    map.cells.push_back({place_of(map.x, point.labels[x]), place_of(map.y, point.labels[y]), std::move(own), value, row,
                         std::move(keys)});
  }
  map.gap = "A gap: no such machine was run, or the point does not run on it.";
  for (std::size_t i = 0; i < bench.axes.size(); ++i) {
    if (i != x && i != y && is_machine_axis(bench.axes[i])) map.best_over.push_back(bench.axes[i].name);
  }
  if (left_out) map.gap += " Points of the bench after the first six are in the table alone.";
  return heat_map_figure(map, simulated);
}

}  // namespace kernbench
