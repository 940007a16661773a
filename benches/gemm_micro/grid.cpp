// TFLOPS over a grid of shapes, of whichever source.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "benches/gemm_micro/figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {

namespace {

std::string depth_text(std::int64_t k) { return "K = " + std::to_string(k); }

}  // namespace

std::vector<const Row*> rows_in_grid(const std::vector<const Row*>& rows, std::span<const std::int64_t> sides) {
  std::vector<const Row*> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [sides](const Row* row) {
    return std::ranges::all_of(std::to_array({"m", "k", "n"}), [&](const char* name) {
      return std::ranges::count(sides, row->point.at(name).get<std::int64_t>()) > 0;
    });
  });
  return found;
}

Figure throughput_grid(const std::string& name, const ShownRows& shown, std::span<const std::int64_t> sides) {
  const std::vector<const Row*> rows = rows_in_grid(shown.rows, sides);
  const std::string title = "GEMM throughput in TFLOPS: " + shown.of;
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"row": 10, "column": 16},
    "facet": {
      "row": {"field": "dtype", "type": "nominal", "title": null,
              "header": {"labelAngle": 0, "labelAlign": "left", "labelPadding": 8}},
      "column": {"field": "depth", "type": "nominal", "title": null}
    },
    "spec": {
      "width": {"step": 44}, "height": {"step": 24},
      "encoding": {
        "x": {"field": "n", "type": "ordinal", "title": "N",
              "axis": {"labelAngle": 0, "ticks": false, "domain": false}},
        "y": {"field": "m", "type": "ordinal", "title": "M", "axis": {"titleAngle": 0, "titleAlign": "right", "ticks": false, "domain": false}}
      },
      "layer": [
        {"mark": {"type": "rect", "stroke": "#ffffff", "strokeWidth": 2},
         "encoding": {"color": {"field": "peak_fraction", "type": "quantitative", "title": "share of the dtype's peak",
                                "scale": {"domain": [0, 1], "range": ["#eef4f9", "#0072B2"]},
                                "legend": {"format": "~%", "values": [0, 0.25, 0.5, 0.75, 1], "gradientLength": 220,
                                           "titleLimit": 300}}}},
        {"transform": [{"calculate": "isValid(datum.tflops) ? (datum.tflops >= 100 ? format(datum.tflops, ',.0f') : format(datum.tflops, '.3~r')) : datum.status",
                        "as": "printed"}],
         "mark": {"type": "text"},
         "encoding": {"text": {"field": "printed"},
                      "color": {"value": "#1b1f24",
                                "condition": {"test": "datum.peak_fraction > 0.6", "value": "#ffffff"}}}}
      ]
    }
  })json");
  spec["facet"]["row"]["sort"] = dtypes_of(rows);
  spec["spec"]["layer"][0]["encoding"]["tooltip"] = micro_tooltip();
  Json records = Json::array();
  std::set<std::int64_t> depths;
  for (const Row* row : rows) {
    const std::int64_t k = row->point.at("k");
    Json record = micro_record(*row);
    record["depth"] = depth_text(k);
    records.push_back(std::move(record));
    depths.insert(k);
  }
  Json& order = spec["facet"]["column"]["sort"] = Json::array();
  for (const std::int64_t depth : depths) order.push_back(depth_text(depth));
  spec["title"] = figure_title(title, shown.source, shown.notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {name, title, std::move(spec)};
}

}  // namespace kernbench
