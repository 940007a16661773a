// The tile plan of an element-wise operation: C = op(A) or C = op(A, B), tile by tile through the vector unit
// (ADR-0006).
#pragma once

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/epilogue.hpp"
#include "sim/plan/matrix_layout.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

struct MathProblem {
  VectorOp op = VectorOp::kRelu;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Layout layout = Layout::kBlocked;

  /// True for add and multiply, which take a second matrix.
  [[nodiscard]] bool binary() const { return takes_matrix(op); }
  /// Of the result: one where rows are reduced.
  [[nodiscard]] std::int64_t result_columns() const { return reduces(op) ? 1 : columns; }
};

struct MathMatrices {
  MatrixLayout a;
  MatrixLayout b;  ///< of binary operations
  MatrixLayout c;
};

/// Throws ConfigError when a dimension is below 1, the operation is not element-wise, or the partition is too small.
[[nodiscard]] MathMatrices place_math(const MathProblem& problem, const MachineSpec& machine);

/// Tiles of tile.m x tile.n elements, row by row. Operands that do not lie in TCM are streamed; the result goes where C
/// lies, TCM included.
[[nodiscard]] TilePlan make_math_plan(const MathProblem& problem, const MathMatrices& matrices, const PeSpec& pe);

}  // namespace kernbench
