// Figures of predictions beside what was measured, a panel a kind of row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

struct PredictionPanels {
  std::string named;  ///< what names of the figures begin with, "" or "operators_"
  std::string what;   ///< in titles: "Products on nvidia-h200"
  std::string left_out;
  /// A record a row: `panel`, `series`, what `tooltip` names, and with add_times() the rest.
  Json records = Json::array();
  std::vector<std::string> panels;
  std::vector<std::pair<std::string, const char*>> series;  ///< with colours
  Json tooltip = Json::array();                             ///< fields beside the times
  double least_us = 0;
  double most_us = 0;
};

/// `measured_us`, `predicted_us` and `error` of a counted row.
void add_times(Json& record, const Row& row);

/// NAMEDpredicted_against_measured, both axes logarithmic; NAMEDerror_over_time. None without records.
[[nodiscard]] std::vector<Figure> prediction_figures(const PredictionPanels& panels, const Results& predicted);

}  // namespace kernbench
