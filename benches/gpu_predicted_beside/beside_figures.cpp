#include "benches/gpu_predicted_beside/beside_figures.hpp"

#include <algorithm>

#include "benches/gpu_predicted_beside/beside_errors.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

struct Shown {
  const char* name = "";
  const char* title = "";
  Metric<double> predicted;
  Metric<double> measured;
  const char* axis = "";
};

Figure over_channels(const Results& predicted, const Shown& shown) {
  Json records = Json::array();
  std::vector<std::string> shapes;
  for (const Row& row : predicted.rows) {
    if (!is_counted(row)) continue;
    const std::string shape = product_shape(row);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
    for (const auto& [series, metric] : {std::pair{"predicted", shown.predicted}, {"measured", shown.measured}}) {
      records.push_back({{"shape", shape},
                         {"channels", row.point.at("channels")},
                         {"gpus", row.point.at("gpus").dump() + " GPUs"},
                         {"series", series},
                         {"times", row.metrics.at(metric)},
                         {"ctas", row.metrics.at(kCtas)},
                         {"ctas_left", row.metrics.at(kCtasLeft)},
                         {"rounds", row.metrics.at(kRoundCount)},
                         {"rounds_left", row.metrics.at(kRoundsLeft)}});
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 3, "spacing": 24,
    "facet": {"field": "shape", "type": "nominal", "title": null},
    "spec": {
      "width": 235, "height": 170,
      "encoding": {
        "x": {"field": "channels", "type": "quantitative", "title": "channels (log scale)",
              "scale": {"type": "log", "base": 2, "domain": [1, 32], "nice": false},
              "axis": {"values": [1, 2, 4, 8, 16, 32], "format": "d"}},
        "y": {"field": "times", "type": "quantitative", "scale": {"zero": true}},
        "color": {"field": "series", "type": "nominal", "title": null}
      },
      "layer": [
        {"mark": {"type": "line", "strokeWidth": 2}, "transform": [{"filter": "datum.series == 'predicted'"}],
         "encoding": {"strokeDash": {"field": "gpus", "type": "nominal", "title": null,
                                     "scale": {"domain": ["2 GPUs", "4 GPUs"], "range": [[4, 3], [1, 0]]}}}},
        {"mark": {"type": "point", "filled": true, "size": 42, "opacity": 0.9},
         "encoding": {"shape": {"field": "gpus", "type": "nominal", "title": null,
                                "scale": {"domain": ["2 GPUs", "4 GPUs"], "range": ["circle", "diamond"]}},
          "tooltip": [
           {"field": "shape", "title": "M×K×N"}, {"field": "gpus", "title": "over"}, {"field": "channels"}, {"field": "series"},
           {"field": "times", "title": "times as long", "format": ".2f"},
           {"field": "ctas", "title": "CTAs at a time alone"}, {"field": "ctas_left", "title": "beside"},
           {"field": "rounds", "title": "rounds alone"}, {"field": "rounds_left", "title": "beside"}]}}
      ]
    }
  })json");
  spec["facet"]["sort"] = shapes;
  spec["spec"]["encoding"]["y"]["title"] = shown.axis;
  spec["spec"]["encoding"]["color"]["scale"] = {{"domain", {"predicted", "measured"}},
                                                {"range", {palette::kBlue, palette::kOrange}}};
  spec["data"] = {{"values", std::move(records)}};
  spec["config"] = figure_config();
  spec["title"] = figure_title(shown.title, predicted,
                               {"A product again and again beside all_reduces of 64 MiB, each on a stream of its own. "
                                "Nothing was fitted to these rows."});
  return {shown.name, shown.title, std::move(spec)};
}

}  // namespace

std::vector<Figure> beside_figures(const Results& predicted, const Results& /*theory*/) {
  if (std::ranges::none_of(predicted.rows, is_counted)) return {};
  return {over_channels(predicted, {"cliff", "What a collective costs the product beside it", kSlowdown,
                                    kMeasuredSlowdown, "times as long as alone"}),
          over_channels(predicted, {"collective_beside", "What a product costs the collective beside it",
                                    kCollectiveSlowdown, kMeasuredCollectiveSlowdown, "times as long as alone"})};
}

std::string beside_headline(const Results& predicted, const Results& /*theory*/) {
  for (const Row* row : rows_where(predicted, {{"derived", "error"}, {"of", "all"}})) {
    return "Beside a collective a product takes up to twice as long; how many times as long as alone is predicted "
           "within " +
           percent(row->metrics.at(kMeanError)) + " in the mean; to take the collective to cost nothing is " +
           percent(row->metrics.at(kUntouchedMeanError)) + " off.";
  }
  return "";
}

}  // namespace kernbench
