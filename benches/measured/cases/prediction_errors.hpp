// A run whose rows hold a prediction beside what was measured: how far off it is, a derived row a group (adr/0052).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Whether a row says how good the prediction is: it has `time_ns`, `measured_ns` and `error`, and no number of the
/// machine was fitted to it (flag "fitted").
[[nodiscard]] bool is_counted(const Row& row);

struct PredictionGroup {
  std::string of;
  std::function<bool(const Row& row)> has;
};

/// Another way of predicting the same rows; nothing where it does not say.
struct OtherPrediction {
  std::string name;
  std::function<std::optional<double>(const Row& row)> time_ns;
};

/// The metric NAME_ns of a row, such as `roofline_ns`.
[[nodiscard]] OtherPrediction predicted_by(const std::string& name);

struct PredictionsHeld {
  std::vector<PredictionGroup> groups;
  std::vector<OtherPrediction> others;
  std::function<std::string(const Row& row)> words;  ///< what a row is of
  std::string fitted;                                ///< what rows are left out, in words
};

/// {"derived": "error", "of": group} with rows, mean, median and 90 % quantile of |error|, bias, the ten worst, and
/// `NAME_mean` and so on of the others on the same rows; groups without rows are left out. At the end how many rows are
/// not counted.
[[nodiscard]] std::vector<Row> error_rows(const Results& predicted, const PredictionsHeld& held);

/// "tuned 5.2 % (bias 1.9 %), out of the box 25.8 % (...)": of these groups, by rows of error_rows(); empty: of none.
[[nodiscard]] std::string mean_errors(const Results& results, const std::vector<std::string>& groups);

}  // namespace kernbench
