// Parallel coordinates of a search: each machine as a line through its values, with brushes on the page
// (scripts/web/brushes.js).
#include <algorithm>

#include "benches/experiments/search/search_figures.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {
namespace {

constexpr int kLeastWidth = 560;
constexpr int kWidthOfAxis = 190;
constexpr int kAxisHeight = 300;
constexpr std::size_t kMostLines = 300;

/// Machines that meet the targets, the best for the first goal first; not all of very many.
std::vector<const Candidate*> machines_to_draw(const SearchToDraw& drawn) {
  std::vector<const Candidate*> good;
  for (const Candidate& one : drawn.found.tried) {
    if (one.is_good()) good.push_back(&one);
  }
  const bool maximise = drawn.question.goals.front().maximise;
  std::ranges::stable_sort(good, [maximise](const Candidate* a, const Candidate* b) {
    return maximise ? a->values.front() > b->values.front() : a->values.front() < b->values.front();
  });
  if (good.size() > kMostLines) good.resize(kMostLines);
  return good;
}

struct Scale {
  double least = 0;
  double most = 0;
  [[nodiscard]] double place(double value) const { return most > least ? (value - least) / (most - least) : 0.5; }
};

/// On each axis, from its first value to its last, and for each goal, from its least to its most: from 0 to 1.
std::vector<double> places_of(const SearchToDraw& drawn, const Candidate& one, const std::vector<Scale>& scales) {
  std::vector<double> places;
  for (std::size_t axis = 0; axis < one.choice.size(); ++axis) {
    const auto last = static_cast<double>(drawn.space.axes()[axis].values.size() - 1);
    places.push_back(last > 0 ? static_cast<double>(one.choice[axis]) / last : 0.5);
  }
  for (std::size_t goal = 0; goal < scales.size(); ++goal) places.push_back(scales[goal].place(one.values[goal]));
  return places;
}

}  // namespace

Figure search_coordinates(const SearchToDraw& drawn) {
  const std::vector<const Candidate*> machines = machines_to_draw(drawn);
  const std::vector<std::string> goals = goal_texts(drawn.question.goals);
  std::vector<std::string> columns;
  for (const Axis& axis : drawn.space.axes()) columns.push_back(axis.name);
  columns.insert(columns.end(), goals.begin(), goals.end());
  Json ends = Json::array();
  std::vector<Scale> scales;
  for (std::size_t goal = 0; goal < goals.size(); ++goal) {
    const auto value = [goal](const Candidate* one) { return one->values[goal]; };
    const auto [least, most] = std::ranges::minmax(machines, {}, value);
    scales.push_back({value(least), value(most)});
  }
  const auto end = [&](const std::string& column, double place, const std::string& text) {
    ends.push_back({{"column", column}, {"place", place}, {"text", text}});
  };
  for (const Axis& axis : drawn.space.axes()) {
    end(axis.name, 0, axis.values.front().label);
    end(axis.name, 1, axis.values.back().label);
  }
  for (std::size_t goal = 0; goal < goals.size(); ++goal) {
    end(goals[goal], 0, short_number(scales[goal].least));
    end(goals[goal], 1, short_number(scales[goal].most));
  }
  Json records = Json::array();
  for (std::size_t m = machines.size(); m-- > 0;) {  // the best is drawn last, on top
    const Candidate& one = *machines[m];
    const std::vector<double> places = places_of(drawn, one, scales);
    const double shade = scales.front().place(one.values.front());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      records.push_back({{"column", columns[i]},
                         {"place", places[i]},
                         {"machine", m},
                         {"shade", drawn.question.goals.front().maximise ? 1 - shade : shade},
                         {"value", one.values.front()},
                         {"settings", settings_text(drawn, one)},
                         {"limit", limit_word(one)},
                         {"row", drawn.rows[static_cast<std::size_t>(&one - drawn.found.tried.data())]}});
    }
  }
  Json spec = Json::parse(R"json({
    "encoding": {
      "x": {"field": "column", "type": "nominal", "sort": null, "title": null, "scale": {"type": "point", "padding": 0.6},
            "axis": {"orient": "top", "grid": true, "domain": false, "ticks": false, "labelAngle": 0, "labelLimit": 0,
                     "labelPadding": 22}},
      "y": {"field": "place", "type": "quantitative", "axis": null, "scale": {"domain": [0, 1]}}
    },
    "layer": [
      {"data": {"name": "brushes", "values": []},
       "mark": {"type": "bar", "width": 22, "fillOpacity": 0.25, "strokeWidth": 1, "tooltip": null},
       "encoding": {"y": {"field": "from", "type": "quantitative", "axis": null, "scale": {"domain": [0, 1]}},
                    "y2": {"field": "to"}}},
      {"mark": {"type": "line"},
       "encoding": {"detail": {"field": "machine"},
                    "color": {"field": "shade", "type": "quantitative", "legend": null},
                    "tooltip": [{"field": "value", "format": ",.5~g"}, {"field": "limit", "title": "limited by"},
                                {"field": "settings"}]}},
      {"transform": [{"filter": "datum.place == 0"}],
       "mark": {"type": "text", "baseline": "top", "dy": 8}, "encoding": {"text": {"field": "text"}}},
      {"transform": [{"filter": "datum.place == 1"}],
       "mark": {"type": "text", "baseline": "bottom", "dy": -8}, "encoding": {"text": {"field": "text"}}}
    ]
  })json");
  spec["encoding"]["x"]["scale"]["domain"] = columns;  // in their order, whatever brushes there are
  Json& lines = spec["layer"][1];
  lines["data"] = {{"name", "lines"}, {"values", records}};
  for (const int layer : {2, 3}) spec["layer"][layer]["data"] = {{"values", ends}};
  spec["layer"][0]["mark"]["color"] = palette::kGrey;
  lines["encoding"]["strokeWidth"] = if_linked(5, 1.6);
  lines["encoding"]["opacity"] = {{"condition",
                                   {{{"test", kIsLinked}, {"value", 1}},
                                    {{"test", kIsLeftOut}, {"value", 0.05}},
                                    {{"test", "linked_row >= 0"}, {"value", 0.3}}}},
                                  {"value", 0.75}};
  lines["encoding"]["color"]["scale"] = {{"range", {palette::kVermillion, palette::kPaleOrange, palette::kPaleBlue}},
                                         {"domain", {0, 0.5, 1}}};
  lines["encoding"]["tooltip"][0]["title"] = goals.front();
  spec["params"] = linked_rows();
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["width"] = std::max<std::size_t>(kLeastWidth, kWidthOfAxis * columns.size());
  spec["height"] = kAxisHeight;
  const std::string title = "Machines through their values: " + drawn.workload;
  spec["title"] = figure_title(title, drawn.results,
                               {"A line a machine that meets the targets, of at most " + std::to_string(kMostLines) +
                                "; the best for the first goal red, the worst blue."});
  spec["config"] = figure_config();
  return {"search_coordinates", title, std::move(spec)};
}

}  // namespace kernbench
