#include "benches/many_core_predicted/errors.hpp"

#include <array>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr double kLongNs = 100e3;  // of shorter ones a good part is the launch

bool is(const Row& row, const char* field, const std::string& value) { return row.point.value(field, "") == value; }

std::string format_of(const Row& row) {
  return row.point.at("dtype").get<std::string>() + " " + row.point.at("fidelity").get<std::string>();
}

std::string words_of(const Row& row) {
  return row.point.at("m").dump() + "x" + row.point.at("k").dump() + "x" + row.point.at("n").dump() + " " +
         format_of(row);
}

constexpr std::array kFormats{"bf16 HiFi4", "bf16 HiFi2", "bfp8 HiFi2", "bfp8 LoFi", "bfp4 LoFi"};

/// Of pairs of a product in two formats, run alike: how many, and the share of which the faster one is.
Row order_of_formats(const Results& simulated) {
  std::int64_t pairs = 0;
  std::int64_t right = 0;
  for (const Row& one : simulated.rows) {
    for (const Row& other : simulated.rows) {
      if (!is_counted(one) || !is_counted(other) || format_of(one) >= format_of(other)) continue;
      const auto same = [&](const char* field) { return one.point.at(field) == other.point.at(field); };
      if (!same("way") || !same("m") || !same("k") || !same("n")) continue;
      const auto first = [&](const Metric<double>& time) { return one.metrics.at(time) < other.metrics.at(time); };
      ++pairs;
      right += first(kTime) == first(kMeasuredTime) ? 1 : 0;
    }
  }
  Row row;
  row.point = {{"derived", "order"}, {"of", "formats"}};
  row.metrics.set(kRowCount, pairs);
  row.metrics.set(kRightShare, pairs > 0 ? static_cast<double>(right) / static_cast<double>(pairs) : 0);
  return row;
}

}  // namespace

std::vector<Row> many_core_error_rows(const Results& simulated) {
  PredictionsHeld held{
      .groups = {}, .others = {}, .words = words_of, .fitted = "products that the machine was fitted to"};
  const auto add = [&held](const std::string& of, const std::function<bool(const Row&)>& has) {
    held.groups.push_back({of, [has](const Row& row) { return row.metrics.at(kMeasuredTime) >= kLongNs && has(row); }});
  };
  add("out of the box", [](const Row& row) { return is(row, "way", "out of the box"); });
  add("tuned", [](const Row& row) { return is(row, "way", "tuned"); });
  for (const std::string operands : {"A and C in L1", "in DRAM"}) {
    add("tuned, " + operands,
        [operands](const Row& row) { return is(row, "way", "tuned") && is(row, "operands", operands); });
  }
  for (const std::string format : kFormats) {
    add("tuned, " + format, [format](const Row& row) { return is(row, "way", "tuned") && format_of(row) == format; });
  }
  held.groups.push_back(
      {"shorter than 100 us", [](const Row& row) { return row.metrics.at(kMeasuredTime) < kLongNs; }});
  std::vector<Row> rows = error_rows(simulated, held);
  if (const Row order = order_of_formats(simulated); order.metrics.at(kRowCount) > 0) rows.push_back(order);
  return rows;
}

std::vector<Figure> many_core_figures(const Results& simulated, const std::string& chip) {
  Json records = Json::array();
  for (const Row& row : simulated.rows) {
    if (!is_counted(row)) continue;
    records.push_back({{"format", format_of(row)},
                       {"way", row.point.at("way")},
                       {"length", row.metrics.at(kMeasuredTime) >= kLongNs ? "100 µs and more" : "shorter"},
                       {"what", words_of(row)},
                       {"measured", row.metrics.at(kMeasuredEfficiency)},
                       {"simulated", row.metrics.at(kUsefulEfficiency)},
                       {"error", row.metrics.at(kError)}});
  }
  if (records.empty()) return {};
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 420, "height": 420,
    "layer": [
      {"data": {"values": [{"x": 0, "low": 0, "high": 0}, {"x": 1, "low": 0.9, "high": 1.1}]},
       "mark": {"type": "area", "opacity": 0.25, "clip": true},
       "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "low", "type": "quantitative"},
                    "y2": {"field": "high"}}},
      {"mark": {"type": "point", "filled": true, "size": 60},
       "encoding": {
         "x": {"field": "measured", "type": "quantitative", "title": "measured utilisation",
               "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}},
         "y": {"field": "simulated", "type": "quantitative", "title": "simulated utilisation",
               "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}},
         "color": {"field": "format", "type": "nominal", "title": null, "legend": {"orient": "right"}},
         "shape": {"field": "way", "type": "nominal", "title": null, "legend": {"orient": "right"},
                   "scale": {"domain": ["tuned", "out of the box"], "range": ["circle", "triangle-up"]}},
         "opacity": {"field": "length", "type": "ordinal", "title": "measured time", "legend": {"orient": "right"},
                     "scale": {"domain": ["100 µs and more", "shorter"], "range": [0.85, 0.3]}},
         "tooltip": [{"field": "what", "title": "M×K×N"}, {"field": "way"}, {"field": "measured", "format": ".1%"},
                     {"field": "simulated", "format": ".1%"}, {"field": "error", "format": "+.1%"}]}}
    ]
  })json");
  spec["layer"][0]["mark"]["color"] = palette::kGrey;
  spec["layer"][1]["data"] = {{"values", std::move(records)}};
  spec["layer"][1]["encoding"]["color"]["scale"] = {
      {"domain", kFormats},
      {"range", {palette::kGreen, palette::kBlue, palette::kSkyBlue, palette::kOrange, palette::kVermillion}}};
  spec["config"] = figure_config();
  const std::string title = "Products on a " + chip + ": share of the peak, simulated against measured";
  spec["title"] = figure_title(title, simulated,
                               {"Grey: within 10 %. Measured in cycles of the cores' kernels.",
                                "Nothing of the machine was fitted to these products."});
  return {{"simulated_against_measured", title, std::move(spec)}};
}

std::string many_core_headline(const Results& simulated, const Results& /*theory*/) {
  const std::string errors = mean_errors(simulated, {"tuned", "out of the box"});
  return errors.empty() ? ""
                        : "Mean error of the utilisation: " + errors +
                              "; of products of 100 us and more, to none of which the machine was fitted.";
}

}  // namespace kernbench
