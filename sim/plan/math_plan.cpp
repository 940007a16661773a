#include "sim/plan/math_plan.hpp"

#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

MathMatrices place_math(const MathProblem& problem, const MachineSpec& machine) {
  check_dimension("m", problem.rows);
  check_dimension("n", problem.columns);
  if (problem.op == VectorOp::kBias) {
    throw ConfigError("operation 'bias' is an epilogue: expected one of scale, add, multiply, relu, gelu, silu");
  }
  const TileShape& tile = machine.pe.mac.tile;
  PartitionAllocator placement(machine.die.hbm, problem.layout);
  const auto place = [&] { return placement.place(problem.rows, problem.columns, tile.m, tile.n); };
  MathMatrices matrices;
  matrices.a = place();
  if (problem.binary()) matrices.b = place();
  matrices.c = place();
  placement.check_capacity();
  return matrices;
}

TilePlan make_math_plan(const MathProblem& problem, const MathMatrices& matrices, const PeSpec& pe) {
  const std::int64_t column_tiles = matrices.c.column_tiles();
  const std::int64_t passes = vector_passes(problem.op);
  TilePlan plan;
  plan.name = kVectorOps[problem.op];
  plan.outputs = matrices.c.row_tiles() * column_tiles;
  plan.tiles = plan.outputs;
  plan.work.element_wise = problem.op;
  const Bytes tile = pe.mac.tile.m * pe.mac.tile.n * kElementBytes;
  std::vector<const MatrixLayout*> operands{&matrices.a};
  if (problem.binary()) operands.push_back(&matrices.b);
  plan.stages = matrices.c.in_tcm() ? 0 : pe.output_depth * tile;
  for (const MatrixLayout* operand : operands) {
    if (operand->in_tcm()) {
      plan.resident.push_back(*operand);
    } else {
      plan.stages += pe.stream_depth * tile;
    }
  }
  plan.stages = ceil_div(plan.stages, matrices.a.burst) * matrices.a.burst;
  plan.step = [=, binary = problem.binary(), depth = pe.stream_depth, vector = pe.vector](std::int64_t t) {
    const std::int64_t i = t / column_tiles;
    const std::int64_t j = t % column_tiles;
    TileStep step;
    step.tile = t;
    step.index = {i, j, 0};
    step.slot = static_cast<std::int32_t>(t % depth);
    step.operands[0] = matrices.a.tile(i, j);
    step.operand_count = binary ? 2 : 1;
    if (binary) step.operands[1] = matrices.b.tile(i, j);
    const std::int64_t rows = matrices.c.rows_of(i);
    const std::int64_t columns = matrices.c.columns_of(j);
    step.fetch_bytes = step.operand_count * rows * columns * kElementBytes;
    step.vector_cycles = vector_cycles(vector, passes, rows * columns);
    step.first = true;
    step.last = true;
    step.output = {step.index, t, rows, columns, j * matrices.c.tile_columns, matrices.c.tile(i, j)};
    return step;
  };
  return plan;
}

}  // namespace kernbench
