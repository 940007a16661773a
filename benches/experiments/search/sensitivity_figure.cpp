// Which key decides, as a figure.
#include <utility>

#include "benches/experiments/search/search_figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {
namespace {

constexpr int kSharesWidth = 560;

}  // namespace

Figure sensitivity_figure(const Space& space, const Sensitivity& sensitivity, const std::string& metric,
                          const Results& results, const std::string& workload) {
  const std::string title = "Which key decides " + metric + ": " + workload;
  Json records = Json::array();
  for (const std::size_t i : by_influence(sensitivity)) {
    const AxisInfluence& axis = sensitivity.axes[i];
    for (const auto& [kind, share] : {std::pair("alone", axis.first), std::pair("with others", axis.total)}) {
      records.push_back({{"key", space.axes()[i].name},
                         {"kind", kind},
                         {"share", share.value},
                         {"least", share.least},
                         {"most", share.most}});
    }
  }
  Json spec = Json::parse(R"json({
    "encoding": {
      "y": {"field": "key", "type": "nominal", "sort": null, "title": null,
            "axis": {"labelLimit": 400, "ticks": false}},
      "yOffset": {"field": "kind", "sort": ["alone", "with others"]}
    },
    "layer": [
      {"mark": {"type": "bar", "height": {"band": 0.85}},
       "encoding": {"x": {"field": "share", "type": "quantitative", "title": "share of the variance", "axis": {"format": ".0%"}},
                    "color": {"field": "kind", "type": "nominal", "title": null},
                    "tooltip": [{"field": "key"}, {"field": "kind"}, {"field": "share", "format": ".1%"},
                                {"field": "least", "format": ".1%"}, {"field": "most", "format": ".1%"}]}},
      {"mark": {"type": "rule", "strokeWidth": 1.5},
       "encoding": {"x": {"field": "least", "type": "quantitative"}, "x2": {"field": "most"}}}
    ]
  })json");
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["width"] = kSharesWidth;
  spec["height"] = {{"step", 22}};
  spec["layer"][0]["encoding"]["color"]["scale"] = {{"domain", {"alone", "with others"}},
                                                    {"range", {palette::kBlue, palette::kPaleBlue}}};
  spec["layer"][1]["mark"]["color"] = palette::kInk;
  Json order = Json::array();
  for (const std::size_t i : by_influence(sensitivity)) order.push_back(space.axes()[i].name);
  spec["encoding"]["y"]["sort"] = order;
  spec["title"] = figure_title(title, results,
                               {"Sobol indices, first order and total, over the whole grid; lines: 95 % confidence."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"sensitivity", title, std::move(spec)};
}

}  // namespace kernbench
