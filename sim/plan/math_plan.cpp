#include "sim/plan/math_plan.hpp"

#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

MathMatrices place_math(const MathProblem& problem, const MachineSpec& machine) {
  check_dimension("m", problem.rows);
  check_dimension("n", problem.columns);
  if (problem.op == VectorOp::kBias) {
    throw ConfigError("operation 'bias' is an epilogue: expected one of scale, add, multiply, relu, gelu");
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
  plan.step = [=, binary = problem.binary(), depth = pe.stream_depth, vector = pe.vector](std::int64_t t) {
    const std::int64_t i = t / column_tiles;
    const std::int64_t j = t % column_tiles;
    TileStep step;
    step.tile = t;
    step.index = {i, j, 0};
    step.slot = static_cast<std::int32_t>(t % depth);
    step.streams[0] = matrices.a.tile(i, j);
    step.stream_count = 1;
    if (binary) {
      step.second[1] = true;
      step.streams.at(step.stream_count++) = matrices.b.tile(i, j);
    }
    const std::int64_t rows = matrices.c.rows_of(i);
    const std::int64_t columns = matrices.c.columns_of(j);
    step.fetch_bytes = step.stream_count * rows * columns * kElementBytes;
    step.vector_cycles = vector_cycles(vector, passes, rows * columns);
    step.first = true;
    step.last = true;
    step.output = {step.index, t, rows, columns, matrices.c.tile(i, j)};
    return step;
  };
  return plan;
}

}  // namespace kernbench
