#include "sim/plan/operators/operator_work.hpp"

namespace kernbench {

namespace {

constexpr VectorWork kSum{.reduce = 1};

Bytes operand_bytes(const OperatorPlan& plan, const OperatorPiece& piece) {
  return (plan.traits().second ? 2 : 1) * bytes_of(piece.elements, plan.problem.dtype);
}

Bytes statistics_bytes(const OperatorPlan& plan, const OperatorPiece& piece) {
  return bytes_of(piece.rows * plan.traits().row_statistics, Dtype::kFp32);
}

}  // namespace

bool adds_to_sum(const OperatorPlan& plan, const OperatorPiece& piece) {
  return goes_into_sum(plan, piece) && piece.begin >= (plan.parts_of_rows ? plan.problem.dimension : 1);
}

bool goes_into_sum(const OperatorPlan& plan, const OperatorPiece& piece) {
  return !plan.traits().writes_rows && piece.ends_row;
}

VectorTask statistics_task(const OperatorPlan& plan, const OperatorPiece& piece, const VectorUnitSpec& unit) {
  const OperatorTraits& traits = plan.traits();
  VectorTask task{.fetched = operand_bytes(plan, piece), .stored = statistics_bytes(plan, piece)};
  task.add(traits.statistics, piece.elements, unit);
  if (traits.classes) task.fetched += bytes_of(piece.rows, Dtype::kInt32);
  if (!piece.begins_row) {
    task.add(traits.merge, piece.rows, unit);
    task.fetched += statistics_bytes(plan, piece);
  }
  if (piece.ends_row) task.add(traits.finish, piece.rows, unit);
  if (goes_into_sum(plan, piece)) task.stored += bytes_of(1, Dtype::kFp32);
  if (adds_to_sum(plan, piece)) {
    task.add(kAddition, 1, unit);
    task.fetched += bytes_of(1, Dtype::kFp32);
  }
  return task;
}

VectorTask apply_task(const OperatorPlan& plan, const OperatorPiece& piece, const VectorUnitSpec& unit) {
  const Bytes elements = bytes_of(piece.elements, plan.problem.dtype);
  VectorTask task{.fetched = operand_bytes(plan, piece) + plan.traits().parameters * elements, .stored = elements};
  if (plan.traits().by_rows()) task.fetched += statistics_bytes(plan, piece);
  task.add(plan.traits().apply, piece.elements, unit);
  return task;
}

VectorTask mean_task(const OperatorPlan& plan, const VectorUnitSpec& unit) {
  VectorTask task{.fetched = bytes_of(plan.active(), Dtype::kFp32), .stored = bytes_of(1, plan.problem.dtype)};
  task.add(kSum, plan.active(), unit);
  task.add(kAddition, 1, unit);  // by the number of elements, or rows: a product
  return task;
}

}  // namespace kernbench
