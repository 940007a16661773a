#include "benches/gpu_predicted_operators/case_figures.hpp"

#include "benches/gpu_predicted_operators/case_errors.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/prediction_panels.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

Json case_record(const Row& row) {
  const bool copy = row.point.contains("copy");
  Json record{
      {"panel", copy ? Json("copies") : row.point.at("operation")},
      {"series", copy ? std::string("copies")
                      : row.point.at("dtype").get<std::string>() + ", L2 " + row.point.at("l2").get<std::string>()},
      {"what", case_words(row)}};
  add_times(record, row);
  return record;
}

}  // namespace

std::vector<Figure> predicted_case_figures(const Results& predicted, const Results& /*theory*/) {
  PredictionPanels panels{.named = "operators_",
                          .what = "Operators and copies",
                          .left_out =
                              "Operators of PyTorch in CUDA graphs; copies that the machine was fitted to are "
                              "left out.",
                          .panels = {"layernorm", "gelu", "swish", "mse", "cross_entropy", "copies"},
                          .series = {{"bf16, L2 warm", palette::kOrange},
                                     {"bf16, L2 flushed", palette::kBlue},
                                     {"fp32, L2 warm", palette::kPaleVermillion},
                                     {"fp32, L2 flushed", palette::kGreen},
                                     {"copies", palette::kPurple}},
                          .tooltip = Json::parse(R"json([{"field": "what", "title": "row"}])json"),
                          .least_us = 0.8,
                          .most_us = 30000};
  for (const Row& row : predicted.rows) {
    if (is_counted(row)) panels.records.push_back(case_record(row));
  }
  return prediction_figures(panels, predicted);
}

std::string predicted_case_headline(const Results& predicted, const Results& /*theory*/) {
  std::string text;
  for (const char* of : {"operators but cross_entropy", "cross_entropy", "peer"}) {
    for (const Row* row : rows_where(predicted, {{"derived", "error"}, {"of", of}})) {
      text += (text.empty() ? "Mean error: " : ", ") + std::string(of) + " " + percent(row->metrics.at(kMeanError));
    }
  }
  return text.empty() ? "" : text + "; of rows that the machine was not fitted to.";
}

}  // namespace kernbench
