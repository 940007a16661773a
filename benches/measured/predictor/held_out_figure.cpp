// Predicted against actual throughput, held-out rows only.
#include <algorithm>
#include <set>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/predictor/error_report.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostDots = 2000;
constexpr int kHeldOutSide = 460;

Json dots_of(const ErrorReport& report, const GemmRows& rows) {
  Json dots = Json::array();
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const GemmRow& row = rows.rows[i];
    if (!report.held_out[i].covered) continue;
    dots.push_back({{"row", words_of(row, rows)},
                    {"dtype", std::string(name_of(row.dtype))},
                    {"actual", row.tflops()},
                    {"predicted", row.flops() / report.held_out[i].predicted_ns / 1e3}});
  }
  return dots;
}

/// Of so many dots one is drawn: more would not be told apart.
std::size_t step_of(const Json& dots) { return (dots.size() + kMostDots - 1) / kMostDots; }

Json thinned(const Json& dots) {
  Json kept = Json::array();
  for (std::size_t i = 0; i < dots.size(); i += step_of(dots)) kept.push_back(dots[i]);
  return kept;
}

/// From the least to the most of both axes: the ends of the diagonal.
std::vector<double> ends_of(const Json& dots) {
  std::vector<double> values;
  for (const Json& dot : dots) {
    values.push_back(dot.at("actual"));
    values.push_back(dot.at("predicted"));
  }
  if (values.empty()) return {1, 10};
  const auto [least, most] = std::ranges::minmax(values);
  return {least / 1.2, most * 1.2};
}

}  // namespace

Figure held_out_figure(const ErrorReport& report, const GemmRows& rows) {
  const std::string title = "Predicted against actual GEMM throughput, held-out rows";
  const Json all = dots_of(report, rows);
  const std::vector<double> ends = ends_of(all);
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "layer": [
      {"mark": {"type": "line", "strokeDash": [5, 4]},
       "encoding": {"x": {"field": "end", "type": "quantitative"}, "y": {"field": "end", "type": "quantitative"}}},
      {"mark": {"type": "point", "filled": true, "size": 22},
       "encoding": {
         "x": {"field": "actual", "type": "quantitative", "title": "TFLOPS of the row"},
         "y": {"field": "predicted", "type": "quantitative", "title": "TFLOPS predicted without its group"},
         "color": {"field": "dtype", "type": "nominal", "title": null, "legend": {"symbolOpacity": 1}},
         "tooltip": [{"field": "row"}, {"field": "actual", "title": "TFLOPS", "format": ".4~r"},
                     {"field": "predicted", "title": "predicted", "format": ".4~r"}]}}
    ]
  })json");
  const Json scale{{"type", "log"}, {"domain", ends}, {"nice", false}};
  for (Json& layer : spec["layer"]) {
    for (const char* axis : {"x", "y"}) {
      layer["encoding"][axis]["scale"] = scale;
      layer["encoding"][axis]["axis"] = log_axis(ends);
    }
  }
  Json diagonal = Json::array();
  for (const double end : ends) diagonal.push_back({{"end", end}});
  spec["layer"][0]["data"] = {{"values", diagonal}};
  spec["layer"][0]["mark"]["color"] = palette::kInk;
  spec["layer"][1]["data"] = {{"values", thinned(all)}};
  spec["layer"][1]["params"] = Json::array({legend_selection("dtype")});
  spec["layer"][1]["encoding"]["opacity"] = if_selected(0.6);
  const std::vector<std::string> colours{palette::kBlue,       palette::kOrange,  palette::kGreen, palette::kPurple,
                                         palette::kVermillion, palette::kSkyBlue, palette::kGrey};
  std::set<std::string> dtypes;
  for (const Json& dot : all) dtypes.insert(dot.at("dtype").get<std::string>());
  spec["layer"][1]["encoding"]["color"]["scale"] = {
      {"domain", dtypes}, {"range", std::vector(colours.begin(), colours.begin() + static_cast<int>(dtypes.size()))}};
  spec["width"] = kHeldOutSide;
  spec["height"] = kHeldOutSide;
  const ErrorPart& part = report.parts.front();
  std::vector<std::string> notes{"Held out by " + report.grouping + " (" + std::to_string(report.groups) + " groups, " +
                                     std::to_string(report.folds) + " folds): median error " +
                                     percent(part.held_out.median) + ", 90th percentile " + percent(part.held_out.p90) +
                                     ".",
                                 "With single rows held out instead: " + percent(part.random.median) + " and " +
                                     percent(part.random.p90) + ". On the dashed line a prediction is right."};
  if (step_of(all) > 1) {
    notes.push_back("Of " + grouped(static_cast<std::int64_t>(all.size())) + " rows one of each " +
                    std::to_string(step_of(all)) + " is a dot.");
  }
  spec["title"] = figure_title(title, joined(rows.sources), notes);
  spec["config"] = figure_config();
  return {"held_out", title, std::move(spec)};
}

}  // namespace kernbench
