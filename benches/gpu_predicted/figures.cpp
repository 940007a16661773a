#include "benches/gpu_predicted/figures.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/prediction_panels.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

constexpr const char* kRaggedSeries = "rows of no 16-byte multiple";

const std::vector<std::string>& dtypes() {
  static const std::vector<std::string> kDtypes{"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"};
  return kDtypes;
}

Json record_of(const Row& row) {
  const Point& point = row.point;
  const bool ragged = std::ranges::find(row.flags, "ragged") != row.flags.end();
  Json record{{"panel", point.at("dtype")},
              {"series", ragged ? kRaggedSeries : "L2 " + point.at("l2").get<std::string>()},
              {"shape", point.at("m").dump() + "×" + point.at("k").dump() + "×" + point.at("n").dump()},
              {"kernel", row.metrics.at(kKernelText)},
              {"state", row.metrics.at(kClockState)}};
  add_times(record, row);
  return record;
}

/// Of the rows' GPU; "" where no row counts.
std::string device_of(const Results& predicted) {
  const auto row = std::ranges::find_if(predicted.rows, is_counted);
  return row == predicted.rows.end() ? "" : row->metrics.at(kDeviceName);
}

/// Bars of mean errors: this model, trees that learned from other shapes, the roofline, the milestone machine's claim.
Figure beside_others(const Results& predicted) {
  const std::vector<std::pair<const char*, const char*>> models{{"", "simulated GPU"},
                                                                {"trees_", "trees, other shapes"},
                                                                {"roofline_", "roofline"},
                                                                {"milestone_", "milestone machine's claim"}};
  Json names = Json::array();
  for (const auto& [prefix, model] : models) names.push_back(model);
  Json records = Json::array();
  for (const std::string& dtype : dtypes()) {
    for (const Row* row : rows_where(predicted, {{"derived", "error"}, {"of", dtype}})) {
      for (const auto& [prefix, model] : models) {
        const std::optional<double> mean = row->metrics.find(prefixed(prefix, kMeanError));
        if (mean) records.push_back({{"dtype", dtype}, {"model", model}, {"mean", *mean}});
      }
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 480, "height": {"step": 17},
    "encoding": {
      "y": {"field": "dtype", "type": "nominal", "title": null, "axis": {"grid": false, "ticks": false, "domain": false}},
      "yOffset": {"field": "model", "type": "nominal"},
      "x": {"field": "mean", "type": "quantitative", "title": "mean error", "axis": {"format": ".0%", "tickCount": 7}}
    },
    "layer": [
      {"mark": {"type": "bar"}, "encoding": {"color": {"field": "model", "type": "nominal", "title": null}}},
      {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"text": {"field": "mean", "format": ".1%"}}}
    ]
  })json");
  const std::string title = "Mean error on the same products: simulated, learned, roofline, claimed";
  spec["data"] = {{"values", std::move(records)}};
  spec["encoding"]["y"]["sort"] = dtypes();
  spec["encoding"]["yOffset"]["sort"] = names;
  spec["layer"][0]["encoding"]["color"]["scale"] = {
      {"domain", names}, {"range", {palette::kBlue, palette::kOrange, palette::kPaleGrey, palette::kGreen}}};
  spec["config"] = figure_config();
  spec["title"] = figure_title(title, predicted,
                               {"Products whose rows are multiples of 16 bytes, L2 warm and flushed.",
                                "Trees: trained on groups of other shapes. Claim: the milestone machine's bound, as a "
                                "share of the peak."});
  return {"errors_beside_others", title, std::move(spec)};
}

}  // namespace

std::vector<Figure> gpu_predicted_figures(const Results& predicted, const Results& /*theory*/) {
  PredictionPanels panels{
      .named = "",
      .what = "Products on " + device_of(predicted),
      .left_out = "Products that the machine was fitted to are left out.",
      .panels = dtypes(),
      .series = {{"L2 warm", palette::kOrange}, {"L2 flushed", palette::kBlue}, {kRaggedSeries, palette::kPurple}},
      .tooltip = Json::parse(R"json([{"field": "shape", "title": "M×K×N"}, {"field": "panel", "title": "dtype"},
                            {"field": "series", "title": "rows"}, {"field": "state"}, {"field": "kernel"}])json"),
      .least_us = 2,
      .most_us = 200000};
  for (const Row& row : predicted.rows) {
    if (is_counted(row)) panels.records.push_back(record_of(row));
  }
  std::vector<Figure> figures = prediction_figures(panels, predicted);
  if (!rows_where(predicted, {{"derived", "error"}}).empty()) figures.push_back(beside_others(predicted));
  return figures;
}

std::string gpu_predicted_headline(const Results& predicted, const Results& /*theory*/) {
  std::string text;
  for (const std::string& dtype : dtypes()) {
    for (const Row* row : rows_where(predicted, {{"derived", "error"}, {"of", dtype}})) {
      text += (text.empty() ? "Mean error on " + device_of(predicted) + ": " : ", ") + dtype + " " +
              percent(row->metrics.at(kMeanError));
    }
  }
  return text.empty() ? "" : text + "; of products that the machine was not fitted to.";
}

}  // namespace kernbench
