#include "benches/experiments/search/search_figures.hpp"

#include <algorithm>
#include <cmath>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/limit.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kWidth = 560;
constexpr int kHeight = 300;
constexpr double kManyTimes = 20;  ///< from the least to the most: a logarithmic axis
constexpr const char* kSchema = "https://vega.github.io/schema/vega-lite/v6.json";

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
                   {"limit", limit_word(one)},
                   {"row", drawn.rows[i]}};
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
  spec["params"] = linked_rows();
  const bool has_line = drawn.question.goals.size() == 2;
  const int front = has_line ? 2 : 1;
  for (const auto& [layer, size] : {std::pair(0, 30), std::pair(front, 70)}) {
    Json& encoding = spec["layer"][layer]["encoding"];
    encoding["stroke"] = if_linked(palette::kInk, nullptr);
    encoding["strokeWidth"] = if_linked(2.5, 0);
    encoding["opacity"] = {{"condition", {{"test", kIsLeftOut}, {"value", 0.1}}}, {"value", layer == 0 ? 0.5 : 1}};
    if (!encoding.contains("size")) encoding["size"] = if_linked(3 * size, size);
  }
  if (has_line) spec["layer"][1]["mark"]["color"] = palette::kGrey;
  spec["title"] = figure_title(title, drawn.results,
                               {grouped(static_cast<std::int64_t>(drawn.found.front.size())) +
                                " machines than which none is better in one goal "
                                "without being worse in another; grey: the others that were tried."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"search_front", title, std::move(spec)};
}

}  // namespace

std::string settings_text(const SearchToDraw& drawn, const Candidate& one) {
  return joined(drawn.space.settings(one.choice), ", ");
}

std::string limit_word(const Candidate& one) {
  const std::optional<CauseTime> limit = limit_of(one.row);
  return limit ? cause_name(limit->cause) : "";
}

std::vector<std::string> goal_texts(const std::vector<Goal>& goals) {
  std::vector<std::string> texts;
  for (const Goal& goal : goals) texts.push_back((goal.maximise ? "most " : "least ") + goal.name);
  return texts;
}

std::vector<Figure> search_figures(const SearchToDraw& drawn) {
  if (std::ranges::none_of(drawn.found.tried, &Candidate::is_good)) return {};
  std::vector<Figure> figures;
  figures.push_back(drawn.question.goals.size() == 1 ? progress_figure(drawn) : front_figure(drawn));
  if (std::optional<Figure> map = search_heat_map(drawn)) figures.push_back(std::move(*map));
  figures.push_back(search_coordinates(drawn));
  return figures;
}

}  // namespace kernbench
