#include "benches/measured/predictor/prediction.hpp"

#include <numeric>

#include "benches/measured/cases/statistics.hpp"
#include "benches/measured/predictor/held_out.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::int64_t> kHeldOutRows{"held_out_rows"};
constexpr Metric<double> kHighTime{"high_ns"};
constexpr Metric<double> kLowTime{"low_ns"};
constexpr Metric<std::string> kNearestText{"nearest"};

constexpr std::size_t kFewestForRange = 10;

/// Actual / predicted of the held-out rows of a dtype and kind.
std::vector<double> ratios_of(const GemmRows& rows, const std::vector<HeldOutRow>& held_out, const GemmRow& like) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const GemmRow& row = rows.rows[i];
    if (row.dtype != like.dtype || row.kind != like.kind || !held_out[i].covered) continue;
    ratios.push_back(row.time_ns / held_out[i].predicted_ns);
  }
  return ratios;
}

}  // namespace

std::vector<GemmPrediction> predict_gemm(const GemmRows& rows, GemmRow asked, std::uint32_t seed) {
  RowPlaces all(rows.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const GemmPredictor predictor(rows, all, seed);
  std::vector<GemmPrediction> predictions;
  bool covered = false;
  for (std::size_t kind = 0; kind < rows.kinds.size(); ++kind) {
    asked.kind = kind;
    if (!predictor.range(asked)) continue;
    predictions.push_back({.asked = asked, .nearest = nearest_words(rows, asked, true)});
    covered = covered || predictor.covers(asked);
  }
  if (predictions.empty()) asked.kind = 0;
  if (!covered) refuse_extrapolation(predictor, rows, predictions.empty() ? asked : predictions.front().asked);
  const std::vector<HeldOutRow> held_out =
      predict_held_out(rows, folds_by_group(rows, find_grouping("shape"), seed), seed);
  for (GemmPrediction& prediction : predictions) {
    try {
      refuse_extrapolation(predictor, rows, prediction.asked);
    } catch (const ConfigError& error) {
      prediction.refused = error.what();
      continue;
    }
    prediction.asked.time_ns = predictor.times_ns({&prediction.asked, 1}).front();
    const std::vector<double> ratios = ratios_of(rows, held_out, prediction.asked);
    prediction.held_out = ratios.size();
    if (ratios.size() < kFewestForRange) continue;
    prediction.low_ns = prediction.asked.time_ns * quantile(ratios, 0.1);
    prediction.high_ns = prediction.asked.time_ns * quantile(ratios, 0.9);
  }
  return predictions;
}

Results prediction_results(const std::vector<GemmPrediction>& predictions, const GemmRows& rows) {
  Results results = results_about(rows, "gemm-prediction");
  for (const GemmPrediction& prediction : predictions) {
    const GemmRow& asked = prediction.asked;
    Row row = row_about(asked, rows);
    if (prediction.refused.empty()) {
      row.metrics = {{kTime, asked.time_ns}, {kTflops, asked.tflops()}, {kHeldOutRows, prediction.held_out}};
      if (prediction.low_ns) {
        row.metrics.set(kLowTime, *prediction.low_ns);
        row.metrics.set(kHighTime, *prediction.high_ns);
      }
      row.metrics.set(kNearestText, prediction.nearest);
    } else {
      row.status = "skipped";
      row.reason = prediction.refused;
    }
    results.rows.push_back(std::move(row));
  }
  return results;
}

}  // namespace kernbench
