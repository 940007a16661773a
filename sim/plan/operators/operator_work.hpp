// What the vector unit does for each piece of an operator (adr/0043-operators.md, 43.4, 43.5).
#pragma once

#include "sim/plan/operators/operator_plan.hpp"
#include "sim/plan/vector_task.hpp"

namespace kernbench {

/// Whether a piece's rows, or elements, are added to a sum that pieces before it have begun.
[[nodiscard]] bool adds_to_sum(const OperatorPlan& plan, const OperatorPiece& piece);
/// Whether a piece's rows, or elements, go into the sum that the mean is made of.
[[nodiscard]] bool goes_into_sum(const OperatorPlan& plan, const OperatorPiece& piece);

/// The statistics of a piece's rows, or what it adds to the sum.
[[nodiscard]] VectorTask statistics_task(const OperatorPlan& plan, const OperatorPiece& piece,
                                         const VectorUnitSpec& unit);
/// y of a piece.
[[nodiscard]] VectorTask apply_task(const OperatorPlan& plan, const OperatorPiece& piece, const VectorUnitSpec& unit);
/// The mean, of the sums of all PEs that have rows.
[[nodiscard]] VectorTask mean_task(const OperatorPlan& plan, const VectorUnitSpec& unit);

}  // namespace kernbench
