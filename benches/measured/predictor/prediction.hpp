// One prediction, with what it is worth (46.9).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/measured/predictor/gemm_predictor.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Of one kind.
struct GemmPrediction {
  GemmRow asked;                   ///< its time_ns is the prediction; 0: refused
  std::string refused{};           ///< why
  std::size_t held_out = 0;        ///< rows of this dtype and kind that were held out by shape and predicted
  std::optional<double> low_ns{};  ///< eight of ten of those, moved here, lie between; nothing of fewer than ten
  std::optional<double> high_ns{};
  std::string nearest{};  ///< the row of its dtype and kind that is nearest, in words, with its TFLOPS
};

/// Of every kind that has rows of this dtype. Throws ConfigError as refuse_extrapolation where each of them refuses,
/// and as folds_by_group.
[[nodiscard]] std::vector<GemmPrediction> predict_gemm(const GemmRows& rows, GemmRow asked, std::uint32_t seed);

/// A row a kind: time_ns, tflops, the ends of its range; of what is refused "skipped".
[[nodiscard]] Results prediction_results(const std::vector<GemmPrediction>& predictions, const GemmRows& rows);

}  // namespace kernbench
