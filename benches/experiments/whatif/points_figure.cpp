// What each point of a file takes in all, as often as it is run.
#include "benches/experiments/whatif/points_file.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {

Figure points_figure(const Results& simulated) {
  const std::string title = "What takes how long in all";
  Json records = Json::array();
  Json order = Json::array();
  double all = 0;
  for (const Row& row : simulated.rows) {
    if (row.point.contains("derived") || row.status != "ok" || !row.metrics.has(kTime)) continue;
    all += static_cast<double>(count_of_point(row.point)) * row.metrics.at(kTime);
  }
  for (const Row& row : simulated.rows) {
    if (row.point.contains("derived") || row.status != "ok" || !row.metrics.has(kTime)) continue;
    const double ms = static_cast<double>(count_of_point(row.point)) * row.metrics.at(kTime) / 1e6;
    const std::string name = name_of_point(row.point);
    order.push_back(name);
    records.push_back({{"point", name},
                       {"count", count_of_point(row.point)},
                       {"time_us", row.metrics.at(kTime) / 1e3},
                       {"ms", ms},
                       {"share", ms * 1e6 / all}});
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 480, "height": {"step": 28},
    "transform": [{"calculate": "format(datum.ms, ',.3~r') + ' ms, ' + format(datum.share, '.0%') + (datum.count > 1 ? ', ' + datum.count + ' × ' + format(datum.time_us, ',.3~r') + ' µs' : '')", "as": "told"}],
    "encoding": {
      "y": {"field": "point", "type": "nominal", "title": null, "axis": {"ticks": false, "labelLimit": 260}},
      "x": {"field": "ms", "type": "quantitative", "title": "time in all (ms)", "axis": {"tickCount": 5}, "scale": {"padding": 0}},
      "tooltip": [
        {"field": "point"}, {"field": "count"}, {"field": "time_us", "title": "time of one (µs)", "format": ",.5~r"},
        {"field": "ms", "title": "in all (ms)", "format": ",.5~r"}, {"field": "share", "format": ".1%"}]
    },
    "layer": [
      {"mark": {"type": "bar", "height": 18}},
      {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"text": {"field": "told"}}}
    ]
  })json");
  spec["encoding"]["y"]["sort"] = order;
  spec["layer"][0]["mark"]["color"] = palette::kBlue;
  spec["title"] = figure_title(title, simulated, {headline_of_points(simulated)});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"points", title, std::move(spec)};
}

}  // namespace kernbench
