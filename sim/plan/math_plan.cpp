#include "sim/plan/math_plan.hpp"

#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

/// Of one tile of the operand. What a reduction makes of its rows is taken together with what it has made of those of
/// the tiles before.
Cycles cycles_of(VectorOp op, const VectorUnitSpec& unit, std::int64_t rows, std::int64_t columns) {
  const Cycles cycles = vector_cycles(unit, vector_work(op), rows * columns);
  return reduces(op) ? cycles + vector_cycles(unit, kAddition, rows) : cycles;
}

std::int64_t operations_of(VectorOp op, std::int64_t rows, std::int64_t columns) {
  return vector_operations(vector_work(op), rows * columns) + (reduces(op) ? vector_operations(kAddition, rows) : 0);
}

/// What streamed operands and finished outputs take of TCM: whole bursts.
Bytes stages(const std::vector<const MatrixLayout*>& operands, const MatrixLayout& c, const PeSpec& pe) {
  const Bytes tile = pe.mac.tile.m * bytes_of(pe.mac.tile.n, c.dtype);
  Bytes bytes = c.in_tcm() ? 0 : pe.output_depth * tile;
  for (const MatrixLayout* operand : operands) bytes += operand->in_tcm() ? 0 : pe.stream_depth * tile;
  return ceil_div(bytes, c.burst) * c.burst;
}

}  // namespace

MathMatrices place_math(const MathProblem& problem, const MachineSpec& machine) {
  check_dimension("m", problem.rows);
  check_dimension("n", problem.columns);
  if (problem.op == VectorOp::kBias) {
    std::string names;
    for (const VectorOp op : kVectorOps.values()) {
      if (op != VectorOp::kBias) names += (names.empty() ? "" : ", ") + std::string(kVectorOps[op]);
    }
    throw ConfigError("operation 'bias' is an epilogue: expected one of " + names);
  }
  const TileShape& tile = machine.pe.mac.tile;
  PartitionAllocator placement(machine.die, problem.layout);
  const auto place = [&](std::int64_t columns) { return placement.place(problem.rows, columns, tile.m, tile.n); };
  MathMatrices matrices;
  matrices.a = place(problem.columns);
  if (problem.binary()) matrices.b = place(problem.columns);
  matrices.c = place(problem.result_columns());
  placement.check_capacity();
  return matrices;
}

TilePlan make_math_plan(const MathProblem& problem, const MathMatrices& matrices, const PeSpec& pe) {
  const std::int64_t column_tiles = matrices.a.column_tiles();
  std::vector<const MatrixLayout*> operands{&matrices.a};
  if (problem.binary()) operands.push_back(&matrices.b);
  TilePlan plan;
  plan.name = kVectorOps[problem.op];
  plan.tiles = matrices.a.row_tiles() * column_tiles;
  plan.outputs = matrices.c.row_tiles() * matrices.c.column_tiles();
  plan.work.element_wise = problem.op;
  plan.stages = stages(operands, matrices.c, pe);
  for (const MatrixLayout* operand : operands) {
    if (operand->in_tcm()) plan.resident.push_back(*operand);
  }
  plan.step = [=, op = problem.op, depth = pe.stream_depth, vector = pe.vector](std::int64_t t) {
    const std::int64_t i = t / column_tiles;
    const std::int64_t j = t % column_tiles;
    TileStep step;
    step.tile = t;
    step.index = {i, j, 0};
    step.slot = static_cast<std::int32_t>(t % depth);
    step.operands[0] = matrices.a.tile(i, j);
    step.operand_count = takes_matrix(op) ? 2 : 1;
    if (takes_matrix(op)) step.operands[1] = matrices.b.tile(i, j);
    const std::int64_t rows = matrices.a.rows_of(i);
    step.inner = matrices.a.columns_of(j);
    step.fetch_bytes = step.operand_count * rows * bytes_of(step.inner, matrices.a.dtype);
    step.vector_cycles = cycles_of(op, vector, rows, step.inner);
    step.vector_operations = operations_of(op, rows, step.inner);
    // A row's tiles are reduced into one, as partial products are added up (5.11).
    step.partial = reduces(op);
    step.first = !reduces(op) || j == 0;
    step.last = !reduces(op) || j == column_tiles - 1;
    const std::int64_t column = reduces(op) ? 0 : j;
    step.output = {step.index,
                   t,
                   rows,
                   matrices.c.columns_of(column),
                   column * matrices.c.tile_columns,
                   step.last ? matrices.c.tile(i, column) : Block{}};
    return step;
  };
  return plan;
}

}  // namespace kernbench
