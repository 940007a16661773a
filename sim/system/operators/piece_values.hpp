// The calls of the vector unit for a piece of an operator that lies in TCM, with what they make of its values.
#pragma once

#include <vector>

#include "sim/plan/operators/operator_plan.hpp"
#include "sim/system/kernel.hpp"

namespace kernbench {

/// Matrices of one row, all in TCM; those that the operator or the piece has not are not set.
struct PlacedPiece {
  OperatorPiece piece{};
  MatrixLayout x{};
  MatrixLayout second{};
  std::vector<MatrixLayout> parameters{};  ///< of a part of a row those of its columns
  MatrixLayout classes{};                  ///< of its rows
  MatrixLayout statistics{};               ///< row_statistics numbers a row
  MatrixLayout sum{};
  MatrixLayout y{};
};

[[nodiscard]] VectorCall statistics_call(const OperatorPlan& plan, const PlacedPiece& placed,
                                         const VectorUnitSpec& unit);
[[nodiscard]] VectorCall apply_call(const OperatorPlan& plan, const PlacedPiece& placed, const VectorUnitSpec& unit);
/// `sums` has a number for each PE that has rows.
[[nodiscard]] VectorCall mean_call(const OperatorPlan& plan, const MatrixLayout& sums, const MatrixLayout& mean,
                                   const VectorUnitSpec& unit);

}  // namespace kernbench
