// The figure of a sampled sweep: what each key on its own tells of the metric.
#include <algorithm>

#include "benches/experiments/search/sample.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

constexpr int kPanel = 260;
constexpr int kColumns = 3;

/// The values of a key in the sample, the smallest first; words in their order.
std::vector<std::string> values_of(const std::string& path, const Axis& sample) {
  std::vector<std::string> values;
  for (const AxisValue& value : sample.values) {
    const std::string text = value.fields.at(path).get<std::string>();
    if (std::ranges::find(values, text) == values.end()) values.push_back(text);
  }
  const std::optional<Dimension> dimension = topology_key(path).dimension();
  if (dimension) {
    std::ranges::sort(values, {}, [&](const std::string& text) { return parse_quantity(text, *dimension); });
  }
  return values;
}

Json records_of(const Bench& bench, const std::vector<PointValue>& values, const std::string& path) {
  Json records = Json::array();
  for (const auto& [point, value, row] : values) {
    std::vector<std::string> own;
    for (std::size_t i = 1; i < point.labels.size(); ++i) {
      if (tells_apart(bench.axes[i])) own.push_back(point.labels[i]);
    }
    records.push_back({{"x", point.point.at(path)},
                       {"point", joined(own, ", ")},
                       {"value", value},
                       {"machine", point.labels[0]},
                       {"row", row}});
  }
  return records;
}

}  // namespace

Figure sample_figure(const Bench& bench, const Axis& sample, const Results& simulated) {
  const std::string title = bench.report.front().title + " over each key of a sample";
  const std::vector<PointValue> values = values_at_points(bench, simulated);
  Json panels = Json::array();
  for (const auto& [path, first] : sample.values.front().fields.items()) {
    Json panel = Json::parse(R"json({
      "mark": {"type": "circle", "opacity": 0.7},
      "encoding": {
        "x": {"field": "x", "type": "ordinal", "axis": {"labelOverlap": "greedy", "labelAngle": -40}},
        "y": {"field": "value", "type": "quantitative", "scale": {"zero": true}},
        "color": {"field": "point", "type": "nominal", "title": null, "sort": null},
        "tooltip": [{"field": "point"}, {"field": "machine"}, {"field": "value", "format": ","}]
      }
    })json");
    panel["encoding"]["size"] = if_linked(240, 40);
    panel["width"] = kPanel;
    panel["height"] = kPanel * 3 / 4;
    panel["data"] = {{"values", records_of(bench, values, path)}};
    panel["encoding"]["x"]["title"] = path;
    panel["encoding"]["x"]["sort"] = values_of(path, sample);
    panel["encoding"]["y"]["title"] = bench.report.front().title;
    panels.push_back(std::move(panel));
  }
  Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
               {"columns", kColumns},
               {"params", linked_rows()},
               {"concat", panels},
               {"title", figure_title(title, simulated,
                                      {std::to_string(sample.values.size()) +
                                       " machines; in each panel the others' keys vary as well."})},
               {"config", figure_config()}};
  return {"sample", title, std::move(spec)};
}

}  // namespace kernbench
