#include "sim/system/operators/piece_values.hpp"

#include <memory>
#include <utility>

#include "sim/plan/operators/operator_values.hpp"
#include "sim/plan/operators/operator_work.hpp"

namespace kernbench {

namespace {

std::vector<float> read(const ValueStore& tcm, const MatrixLayout& row, std::int64_t begin, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = tcm.get(row.base, begin++, row.dtype);
  return values;
}

float read(const ValueStore& tcm, const MatrixLayout& row, std::int64_t at) { return tcm.get(row.base, at, row.dtype); }

void write(ValueStore& tcm, const MatrixLayout& row, std::int64_t at, float value) {
  tcm.set(row.base, at, row.dtype, rounded(value, row.dtype));
}

RowStatistics read_statistics(const ValueStore& tcm, const OperatorTraits& traits, const MatrixLayout& all,
                              std::int64_t row) {
  RowStatistics statistics{};
  for (std::int64_t i = 0; i < traits.row_statistics; ++i) {
    statistics.at(static_cast<std::size_t>(i)) = read(tcm, all, row * traits.row_statistics + i);
  }
  return statistics;
}

/// What both calls of a piece know.
struct Work {
  OperatorProblem problem;
  PlacedPiece at;
  std::int64_t lanes = 0;
  bool adds = false;  ///< to a sum that is there
  bool into_sum = false;

  [[nodiscard]] const OperatorTraits& traits() const { return traits_of(problem.op); }
  [[nodiscard]] std::int64_t columns() const { return at.piece.elements / at.piece.rows; }

  [[nodiscard]] RowStatistics of_row(const ValueStore& tcm, std::int64_t row) const {
    const std::vector<float> x = read(tcm, at.x, row * columns(), columns());
    const std::int64_t number = traits().classes ? static_cast<std::int64_t>(read(tcm, at.classes, row)) : 0;
    const std::int64_t begin = at.piece.begin % problem.dimension;
    RowStatistics statistics = row_statistics(problem.op, x, begin, number, lanes);
    if (!at.piece.begins_row) {
      const RowStatistics before = read_statistics(tcm, traits(), at.statistics, row);
      statistics = merged(problem.op, before, begin, statistics, columns());
    }
    return at.piece.ends_row ? finished(problem.op, statistics, problem.dimension) : statistics;
  }

  void add_to_sum(ValueStore& tcm, float value) const {
    write(tcm, at.sum, 0, adds ? read(tcm, at.sum, 0) + value : value);
  }

  void take_rows(ValueStore& tcm) const {
    LaneSum losses(lanes);
    for (std::int64_t row = 0; row < at.piece.rows; ++row) {
      const RowStatistics statistics = of_row(tcm, row);
      for (std::int64_t i = 0; i < traits().row_statistics; ++i) {
        write(tcm, at.statistics, row * traits().row_statistics + i, statistics.at(static_cast<std::size_t>(i)));
      }
      losses.add(loss_of(statistics));
    }
    if (into_sum) add_to_sum(tcm, losses.value());
  }

  void take_squares(ValueStore& tcm) const {
    LaneSum squares(lanes);
    for (std::int64_t i = 0; i < at.piece.elements; ++i) {
      const float distance = read(tcm, at.x, i) - read(tcm, at.second, i);
      squares.add(distance * distance);
    }
    add_to_sum(tcm, squares.value());
  }

  /// Cos and sin of a pair lie in the places of its two elements.
  void rotate(ValueStore& tcm) const {
    for (std::int64_t i = 0; i + 1 < at.piece.elements; i += 2) {
      const float first = read(tcm, at.x, i);
      const float second = read(tcm, at.x, i + 1);
      const float cos = read(tcm, at.second, i);
      const float sin = read(tcm, at.second, i + 1);
      write(tcm, at.y, i, rotated(first, second, cos, sin, true));
      write(tcm, at.y, i + 1, rotated(second, first, cos, sin, false));
    }
  }

  void apply(ValueStore& tcm) const {
    if (problem.op == Operator::kRotary) {
      rotate(tcm);
      return;
    }
    std::vector<float> parameters(at.parameters.size());
    RowStatistics statistics{};
    for (std::int64_t i = 0; i < at.piece.elements; ++i) {
      if (traits().by_rows() && i % columns() == 0) {
        statistics = read_statistics(tcm, traits(), at.statistics, i / columns());
      }
      for (std::size_t p = 0; p < parameters.size(); ++p) parameters[p] = read(tcm, at.parameters[p], i % columns());
      write(tcm, at.y, i, applied(problem.op, read(tcm, at.x, i), parameters, statistics));
    }
  }
};

Work work_of(const OperatorPlan& plan, const PlacedPiece& placed, const VectorUnitSpec& unit) {
  return {plan.problem, placed, unit.lanes, adds_to_sum(plan, placed.piece), goes_into_sum(plan, placed.piece)};
}

void add_if_set(std::vector<MatrixLayout>& matrices, const MatrixLayout& matrix) {
  if (matrix.rows > 0) matrices.push_back(matrix);
}

}  // namespace

VectorCall statistics_call(const OperatorPlan& plan, const PlacedPiece& placed, const VectorUnitSpec& unit) {
  VectorCall call{.task = statistics_task(plan, placed.piece, unit), .reads = {placed.x}};
  add_if_set(call.reads, placed.second);
  add_if_set(call.reads, placed.classes);
  add_if_set(call.writes, placed.statistics);
  add_if_set(call.writes, placed.sum);
  call.values = [work = work_of(plan, placed, unit)](ValueStore& tcm) {
    work.traits().by_rows() ? work.take_rows(tcm) : work.take_squares(tcm);
  };
  return call;
}

VectorCall apply_call(const OperatorPlan& plan, const PlacedPiece& placed, const VectorUnitSpec& unit) {
  VectorCall call{.task = apply_task(plan, placed.piece, unit), .reads = {placed.x}, .writes = {placed.y}};
  add_if_set(call.reads, placed.second);
  add_if_set(call.reads, placed.statistics);
  call.reads.insert(call.reads.end(), placed.parameters.begin(), placed.parameters.end());
  call.values = [work = work_of(plan, placed, unit)](ValueStore& tcm) { work.apply(tcm); };
  return call;
}

VectorCall mean_call(const OperatorPlan& plan, const MatrixLayout& sums, const MatrixLayout& mean,
                     const VectorUnitSpec& unit) {
  VectorCall call{.task = mean_task(plan, unit), .reads = {sums}, .writes = {mean}};
  const std::int64_t count = plan.traits().by_rows() ? plan.problem.rows() : plan.problem.elements();
  call.values = [sums, mean, count, lanes = unit.lanes](ValueStore& tcm) {
    LaneSum sum(lanes);
    for (std::int64_t i = 0; i < sums.rows; ++i) sum.add(tcm.get(sums.tile(i, 0).address));
    write(tcm, mean, 0, sum.value() / static_cast<float>(count));
  };
  return call;
}

}  // namespace kernbench
