#include "benches/many_core_transfers/errors.hpp"

#include <algorithm>
#include <set>

#include "benches/io/text/numbers.hpp"
#include "benches/many_core_transfers/published_transfers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

bool is_transfer(const Row& row) { return row.point.contains("bytes"); }
bool is_placement(const Row& row) { return row.point.contains("cores"); }

/// "DRAM write placed carefully, static vc": of those with several cores the virtual channels make a difference.
std::string group_of(const Row& row) {
  const std::string pattern = row.point.value("pattern", "");
  return is_placement(row) ? pattern + ", " + row.point.at("vc").get<std::string>() + " vc" : pattern;
}

std::string words_of(const Row& row) { return words_of_transfer(row.point); }

bool is_fitted(const Row& row) { return std::ranges::find(row.flags, "fitted") != row.flags.end(); }

}  // namespace

std::vector<Row> transfer_error_rows(const Results& simulated) {
  PredictionsHeld held{.groups = {{"transfers", is_transfer}, {"DRAM by placement", is_placement}},
                       .others = {},
                       .words = words_of,
                       .fitted = "transfers that constants were chosen by"};
  std::set<std::string> seen;
  for (const Row& row : simulated.rows) {
    const std::string group = group_of(row);
    if (!row.point.contains("pattern") || !seen.insert(group).second) continue;
    held.groups.push_back({group, [group](const Row& other) { return group_of(other) == group; }});
  }
  std::vector<Row> rows = error_rows(simulated, held);
  Results fitted = simulated;
  std::erase_if(fitted.rows, [](const Row& row) { return !is_fitted(row); });
  for (Row& row : fitted.rows) row.flags.clear();
  held.groups = {{held.fitted, is_transfer}};
  for (Row& row : error_rows(fitted, held)) {
    if (row.point.at("derived") == "error") rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Figure> transfer_figures(const Results& simulated, const Results& /*theory*/) {
  Json records = Json::array();
  for (const Row& row : simulated.rows) {
    if (!row.metrics.has(kError) || !is_transfer(row)) continue;
    records.push_back({{"pattern", row.point.at("pattern")},
                       {"what", words_of(row)},
                       {"chosen", is_fitted(row) ? "constants were chosen by it" : "held out"},
                       {"measured", row.metrics.at(kMeasuredTime)},
                       {"simulated", row.metrics.at(kTime)},
                       {"error", row.metrics.at(kError)}});
  }
  if (records.empty()) return {};
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 440, "height": 440,
    "layer": [
      {"data": {"values": [{"x": 200, "low": 170, "high": 230}, {"x": 2000000, "low": 1700000, "high": 2300000}]},
       "mark": {"type": "area", "opacity": 0.25, "clip": true},
       "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "low", "type": "quantitative"},
                    "y2": {"field": "high"}}},
      {"mark": {"type": "point", "size": 40, "opacity": 0.8},
       "encoding": {
         "x": {"field": "measured", "type": "quantitative", "title": "measured (ns at 1 GHz: cycles)",
               "scale": {"type": "log", "nice": false, "domain": [200, 2000000]}, "axis": {"format": "~s"}},
         "y": {"field": "simulated", "type": "quantitative", "title": "simulated (ns)",
               "scale": {"type": "log", "nice": false, "domain": [200, 2000000]}, "axis": {"format": "~s"}},
         "color": {"field": "pattern", "type": "nominal", "title": null, "legend": {"orient": "right"}},
         "shape": {"field": "chosen", "type": "nominal", "title": null, "legend": {"orient": "right"},
                   "scale": {"domain": ["held out", "constants were chosen by it"], "range": ["circle", "cross"]}},
         "tooltip": [{"field": "what", "title": "transactions×bytes"}, {"field": "measured", "format": ",.0f"},
                     {"field": "simulated", "format": ",.0f"}, {"field": "error", "format": "+.1%"}]}}
    ]
  })json");
  spec["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["layer"][1]["data"] = {{"values", std::move(records)}};
  spec["layer"][1]["encoding"]["color"]["scale"] = {
      {"domain", transfer_patterns()},
      {"range",
       {palette::kBlue, palette::kOrange, palette::kVermillion, palette::kGreen, palette::kPurple, palette::kSkyBlue}}};
  spec["config"] = figure_config();
  const std::string title = "Transfers by one Tensix core: simulated against measured";
  spec["title"] =
      figure_title(title, simulated, {"Wormhole, 1 to 256 transactions of 32 B to 64 KiB. Grey: within 15 %."});
  return {{"simulated_against_measured", title, std::move(spec)}};
}

std::string transfer_headline(const Results& simulated, const Results& /*theory*/) {
  const std::string errors = mean_errors(simulated, {"transfers", "DRAM by placement"});
  return errors.empty() ? "" : "Mean error of the time: " + errors + "; of rows that no constant was chosen by.";
}

}  // namespace kernbench
