// What a predictor's error is on rows that it was not trained on (46.5, 46.6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/measured/cases/error_summary.hpp"
#include "benches/measured/predictor/gemm_predictor.hpp"

namespace kernbench {

/// What rows of one group have in common; a group is never in both training and test.
struct Grouping {
  std::string name;
  std::string meaning;
  std::string (*group_of)(const GemmRow& row);
};

/// shape, family, m, n, k, flop.
[[nodiscard]] const std::vector<Grouping>& groupings();
/// Throws ConfigError with the nearest name.
[[nodiscard]] const Grouping& find_grouping(const std::string& name);
/// ragged, square, skinny, deep or rectangular (46.5).
[[nodiscard]] std::string family_of(const GemmRow& row);

/// The fold of each row, from 0: groups in an order that the seed draws, dealt to ten folds, or one each where they are
/// fewer. Throws ConfigError where there are fewer than two groups.
[[nodiscard]] std::vector<std::size_t> folds_by_group(const GemmRows& rows, const Grouping& grouping,
                                                      std::uint32_t seed);
/// The same with each row as a group of its own: rows of a shape are in both training and test.
[[nodiscard]] std::vector<std::size_t> folds_at_random(const GemmRows& rows, std::uint32_t seed);

/// What a predictor that did not see a row's fold says of it.
struct HeldOutRow {
  double predicted_ns = 0;  ///< 0: its dtype is not in the training rows at all
  bool covered = false;     ///< within the trained range; else it would be refused
};

/// Of every row, in their order: one training for each fold.
[[nodiscard]] std::vector<HeldOutRow> predict_held_out(const GemmRows& rows, const std::vector<std::size_t>& folds,
                                                       std::uint32_t seed);

}  // namespace kernbench
