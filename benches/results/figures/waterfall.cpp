#include "benches/results/figures/waterfall.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/cause_scale.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kWidth = 460;

/// "variant load_ref", what tells the row from the others; "" of one row.
std::string panel_of(const Results& results, const Row& row) {
  if (results.rows.size() == 1) return "";
  std::vector<std::string> words;
  for (const auto& field : row.point.items()) {
    const std::string& name = field.key();
    const Json& value = field.value();
    const bool differs =
        std::ranges::any_of(results.rows, [&](const Row& other) { return other.point.value(name, Json()) != value; });
    if (differs) words.push_back(name + " " + plain_text(value));
  }
  return joined(words, ", ");
}

Json records_of(const Results& results) {
  Json records = Json::array();
  for (const Row& row : results.rows) {
    double from = 0;
    for (const CauseWords& cause : cause_words()) {
      const Json ns = metric(&row, ledger_metric(cause.cause));
      if (!ns.is_number() || ns == 0) continue;
      const double window = row.windows.value("pe_ns", 0.0);
      const double to = from + ns.get<double>();
      records.push_back({{"panel", panel_of(results, row)},
                         {"cause", cause.name},
                         {"from", from},
                         {"to", to},
                         {"ns", ns},
                         {"share", window > 0 ? percent(ns.get<double>() / window) : ""}});
      from = to;
    }
  }
  return records;
}

}  // namespace

bool has_waterfall(const Results& results) { return !records_of(results).empty(); }

Figure waterfall_figure(const Results& results, const std::string& workload) {
  const std::string title = "Where the time went: " + workload;
  const Json records = records_of(results);
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spec": {
      "height": {"step": 26},
      "encoding": {
        "y": {"field": "cause", "type": "nominal", "title": null, "axis": {"ticks": false, "labelLimit": 260}},
        "x": {"field": "from", "type": "quantitative", "title": "time in the PE window (ns)", "axis": {"tickCount": 5}}
      },
      "layer": [
        {"mark": {"type": "bar", "height": {"band": 0.75}},
         "encoding": {"x2": {"field": "to"}, "color": {"field": "cause", "type": "nominal", "legend": null},
                      "tooltip": [{"field": "cause"}, {"field": "ns", "title": "time (ns)", "format": ","},
                                  {"field": "share"}]}},
        {"mark": {"type": "text", "align": "left", "dx": 6},
         "encoding": {"x": {"field": "to", "type": "quantitative"}, "text": {"field": "label"}}}
      ]
    },
    "columns": 1
  })json");
  const Json scale = cause_scale(records);
  spec["spec"]["width"] = kWidth;
  spec["spec"]["encoding"]["y"]["sort"] = scale.at("domain");
  spec["spec"]["layer"][0]["encoding"]["color"]["scale"] = scale;
  std::vector<std::string> panels;
  for (const Row& row : results.rows) panels.push_back(panel_of(results, row));
  spec["facet"] = {{"field", "panel"}, {"type", "nominal"}, {"title", nullptr}, {"sort", panels}};
  spec["transform"] = Json::array({{{"calculate", time_text("ns") + " + ', ' + datum.share"}, {"as", "label"}}});
  spec["title"] = figure_title(title, results, {"Every nanosecond of the window has one cause; they add up to it."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", records}};
  return {"waterfall", title, std::move(spec)};
}

}  // namespace kernbench
