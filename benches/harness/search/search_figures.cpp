#include "benches/harness/search/search_figures.hpp"

#include <algorithm>
#include <cmath>

#include "benches/harness/figures/caption.hpp"
#include "benches/harness/figures/theme.hpp"
#include "benches/harness/results/limit.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kWidth = 560;
constexpr int kHeight = 300;
constexpr std::size_t kMostLines = 300;  ///< of parallel coordinates
constexpr double kManyTimes = 20;        ///< from the least to the most: a logarithmic axis
constexpr const char* kSchema = "https://vega.github.io/schema/vega-lite/v6.json";

/// What is shown of a machine where the reader points at it.
std::string settings_text(const SearchToDraw& drawn, const Candidate& one) {
  return joined(drawn.space.settings(one.choice), ", ");
}

std::string limit_word(const Candidate& one) {
  const std::optional<CauseTime> limit = limit_of(one.row);
  return limit ? cause_name(limit->cause) : "";
}

/// The best so far after each machine that improved it, and at the end.
void add_progress(Json& records, const std::string& way, const Found& found, bool maximise) {
  std::optional<double> best;
  for (std::size_t i = 0; i < found.tried.size(); ++i) {
    const Candidate& one = found.tried[i];
    if (one.is_good() && (!best || (maximise ? one.values.front() > *best : one.values.front() < *best))) {
      best = one.values.front();
      records.push_back({{"way", way}, {"machines", i + 1}, {"best", *best}});
    }
  }
  if (best) records.push_back({{"way", way}, {"machines", found.tried.size()}, {"best", *best}});
}

Figure progress_figure(const SearchToDraw& drawn) {
  const std::string title = "The best so far: " + drawn.workload;
  Json records = Json::array();
  const bool maximise = drawn.question.goals.front().maximise;
  add_progress(records, "search", drawn.found, maximise);
  if (drawn.random != nullptr) add_progress(records, "at random", *drawn.random, maximise);
  Json spec = Json::parse(R"json({
    "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5},
    "encoding": {
      "x": {"field": "machines", "type": "quantitative", "title": "machines simulated", "axis": {"tickMinStep": 1}},
      "y": {"field": "best", "type": "quantitative", "scale": {"zero": false}},
      "color": {"field": "way", "type": "nominal", "title": null, "sort": null},
      "tooltip": [{"field": "way"}, {"field": "machines"}, {"field": "best", "format": ",.5~g"}]
    }
  })json");
  spec["$schema"] = kSchema;
  spec["width"] = kWidth;
  spec["height"] = kHeight;
  spec["encoding"]["y"]["title"] = goal_texts(drawn.question.goals).front();
  spec["encoding"]["color"]["scale"] = {{"domain", {"search", "at random"}},
                                        {"range", {palette::kBlue, palette::kGrey}}};
  std::vector<std::string> notes;
  for (const Condition& target : drawn.question.targets) notes.push_back("with " + target.text());
  spec["title"] = figure_title(title, drawn.results, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"search_progress", title, std::move(spec)};
}

/// Every machine that meets the targets, in the plane of the first two goals.
Figure front_figure(const SearchToDraw& drawn) {
  const std::string title = "What no other machine beats: " + drawn.workload;
  const std::vector<std::string> goals = goal_texts(drawn.question.goals);
  Json records = Json::array();
  for (std::size_t i = 0; i < drawn.found.tried.size(); ++i) {
    const Candidate& one = drawn.found.tried[i];
    if (!one.is_good()) continue;
    const bool in_front = std::ranges::find(drawn.found.front, i) != drawn.found.front.end();
    Json record = {{"x", one.values[0]},
                   {"y", one.values[1]},
                   {"is", in_front ? "in the front" : "beaten"},
                   {"settings", settings_text(drawn, one)},
                   {"limit", limit_word(one)}};
    if (one.values.size() > 2) record["z"] = one.values[2];
    records.push_back(std::move(record));
  }
  Json spec = Json::parse(R"json({
    "layer": [
      {"transform": [{"filter": "datum.is == 'beaten'"}],
       "mark": {"type": "circle", "size": 30, "opacity": 0.5}},
      {"transform": [{"filter": "datum.is != 'beaten'"}],
       "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5}, "encoding": {"tooltip": null}},
      {"transform": [{"filter": "datum.is != 'beaten'"}], "mark": {"type": "circle", "size": 70, "opacity": 1},
       "encoding": {"color": {"field": "limit", "type": "nominal", "title": "limited by"}}}
    ],
    "encoding": {
      "x": {"field": "x", "type": "quantitative"},
      "y": {"field": "y", "type": "quantitative"},
      "tooltip": [{"field": "x", "format": ",.5~g"}, {"field": "y", "format": ",.5~g"},
                  {"field": "limit", "title": "limited by"}, {"field": "settings"}]
    }
  })json");
  for (const auto& [axis, goal] : {std::pair("x", 0), std::pair("y", 1)}) {
    std::vector<double> values;
    for (const Json& record : records) values.push_back(record.at(axis).get<double>());
    const auto [least, most] = std::ranges::minmax(values);
    if (least > 0 && most > kManyTimes * least) {
      spec["encoding"][axis]["scale"] = {{"type", "log"}, {"nice", false}};
      spec["encoding"][axis]["axis"] = log_axis(values);
    } else {
      spec["encoding"][axis]["scale"] = {{"zero", false}};
      spec["encoding"][axis]["axis"] = {{"tickCount", 5}};
    }
    spec["encoding"][axis]["title"] = goals[static_cast<std::size_t>(goal)];
    spec["encoding"]["tooltip"][goal]["title"] = goals[static_cast<std::size_t>(goal)];
  }
  if (drawn.question.goals.size() > 2) {
    spec["layer"].erase(1);  // a line through points of a surface means nothing
    spec["layer"][1]["encoding"]["size"] = {
        {"field", "z"}, {"type", "quantitative"}, {"title", goals[2]}, {"scale", {{"range", {30, 300}}}}};
  }
  spec["$schema"] = kSchema;
  spec["width"] = kWidth;
  spec["height"] = kHeight;
  spec["layer"][0]["mark"]["color"] = palette::kPaleGrey;
  if (drawn.question.goals.size() == 2) spec["layer"][1]["mark"]["color"] = palette::kGrey;
  spec["title"] = figure_title(title, drawn.results,
                               {grouped(static_cast<std::int64_t>(drawn.found.front.size())) +
                                " machines than which none is better in one goal "
                                "without being worse in another; grey: the others that were tried."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"search_front", title, std::move(spec)};
}

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

/// A line a machine, over the axes of the space and the goals; each axis from its first to its last value, each goal
/// from its least to its most.
Figure coordinates_figure(const SearchToDraw& drawn) {
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
                         {"limit", limit_word(one)}});
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
      {"params": [{"name": "brush", "select": {"type": "point", "fields": ["machine"], "on": "pointerover"}}],
       "mark": {"type": "line", "strokeWidth": 1.6},
       "encoding": {"detail": {"field": "machine"},
                    "opacity": {"condition": {"param": "brush", "value": 0.75}, "value": 0.06},
                    "color": {"field": "shade", "type": "quantitative", "legend": null},
                    "tooltip": [{"field": "value", "format": ",.5~g"}, {"field": "limit", "title": "limited by"},
                                {"field": "settings"}]}},
      {"transform": [{"filter": "datum.place == 0"}],
       "mark": {"type": "text", "baseline": "top", "dy": 8}, "encoding": {"text": {"field": "text"}}},
      {"transform": [{"filter": "datum.place == 1"}],
       "mark": {"type": "text", "baseline": "bottom", "dy": -8}, "encoding": {"text": {"field": "text"}}}
    ]
  })json");
  for (const int layer : {1, 2}) spec["layer"][layer]["data"] = {{"values", ends}};
  spec["layer"][0]["data"] = {{"values", records}};
  spec["layer"][0]["encoding"]["color"]["scale"] = {
      {"range", {palette::kVermillion, palette::kPaleOrange, palette::kPaleBlue}}, {"domain", {0, 0.5, 1}}};
  spec["layer"][0]["encoding"]["tooltip"][0]["title"] = goals.front();
  spec["$schema"] = kSchema;
  spec["width"] = std::max<std::size_t>(kWidth, 190 * columns.size());
  spec["height"] = kHeight;
  const std::string title = "Machines through their values: " + drawn.workload;
  spec["title"] = figure_title(title, drawn.results,
                               {"A line a machine that meets the targets, of at most " + std::to_string(kMostLines) +
                                "; the best for the first goal red, the worst blue."});
  spec["config"] = figure_config();
  return {"search_coordinates", title, std::move(spec)};
}

}  // namespace

std::vector<std::string> goal_texts(const std::vector<Goal>& goals) {
  std::vector<std::string> texts;
  for (const Goal& goal : goals) texts.push_back((goal.maximise ? "most " : "least ") + goal.name);
  return texts;
}

std::vector<Figure> search_figures(const SearchToDraw& drawn) {
  if (std::ranges::none_of(drawn.found.tried, &Candidate::is_good)) return {};
  std::vector<Figure> figures;
  figures.push_back(drawn.question.goals.size() == 1 ? progress_figure(drawn) : front_figure(drawn));
  figures.push_back(coordinates_figure(drawn));
  return figures;
}

}  // namespace kernbench
