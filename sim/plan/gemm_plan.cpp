#include "sim/plan/gemm_plan.hpp"

#include <algorithm>
#include <string>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

bool per_k_tile(const GemmProblem& problem) {
  return std::ranges::any_of(problem.epilogues,
                             [](const Epilogue& epilogue) { return epilogue.scope == EpilogueScope::kKTile; });
}

std::int64_t passes(const GemmProblem& problem, EpilogueScope scope) {
  std::int64_t sum = 0;
  for (const Epilogue& epilogue : problem.epilogues) {
    if (epilogue.scope == scope) sum += vector_passes(epilogue.op);
  }
  return sum;
}

/// What makes room in the TCM.
std::string remedy(Residency residency) {
  if (residency.a && residency.b) return "stream an operand (variant ref_ref or load_ref) or enlarge the TCM";
  if (residency.a || residency.b) return "stream this operand too (variant ref_ref) or enlarge the TCM";
  return "enlarge the TCM, or lower pe.stream_depth or pe.output_depth";
}

}  // namespace

bool GemmProblem::has_epilogue(VectorOp op) const {
  return std::ranges::any_of(epilogues, [op](const Epilogue& epilogue) { return epilogue.op == op; });
}

GemmMatrices place_gemm(const GemmProblem& problem, const MachineSpec& machine) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  const TileShape& tile = machine.pe.mac.tile;
  PartitionAllocator placement(machine.die.hbm, problem.layout);
  GemmMatrices matrices;
  matrices.a = placement.place(problem.m, problem.k, tile.m, tile.k);
  matrices.b = placement.place(problem.k, problem.n, tile.k, tile.n);
  matrices.c = placement.place(problem.m, problem.n, tile.m, tile.n);
  if (problem.has_epilogue(VectorOp::kBias)) matrices.bias = placement.place(1, problem.n, 1, problem.n);
  placement.check_capacity();
  return matrices;
}

Bytes tcm_bytes_needed(const GemmProblem& problem, const GemmMatrices& matrices, Residency residency,
                       const PeSpec& pe) {
  const TileShape& tile = pe.mac.tile;
  Bytes bytes = pe.output_depth * tile.m * tile.n * kElementBytes;
  bytes += residency.a ? matrices.a.footprint() : pe.stream_depth * tile.m * tile.k * kElementBytes;
  bytes += residency.b ? matrices.b.footprint() : pe.stream_depth * tile.k * tile.n * kElementBytes;
  if (problem.has_epilogue(VectorOp::kBias)) bytes += matrices.bias.element_bytes();
  return bytes;
}

TilePlan make_gemm_plan(const GemmProblem& problem, const GemmMatrices& matrices, Residency residency,
                        const PeSpec& pe) {
  const Bytes needed = tcm_bytes_needed(problem, matrices, residency, pe);
  if (needed > pe.tcm.capacity) {
    throw CapacityError("the operands do not fit the TCM: this plan needs " + std::to_string(needed) +
                        " bytes and pe.tcm.capacity is " + std::to_string(pe.tcm.capacity) + ": " +
                        std::to_string(needed - pe.tcm.capacity) + " bytes are missing; " + remedy(residency));
  }
  const std::int64_t k_tiles = matrices.a.column_tiles();
  const std::int64_t n_tiles = matrices.b.column_tiles();
  const TileShape tile = pe.mac.tile;
  const bool partials = per_k_tile(problem);
  // Adding a partial product to the running sum is one more pass.
  const std::int64_t k_passes = partials ? passes(problem, EpilogueScope::kKTile) + 1 : 0;
  const std::int64_t output_passes = passes(problem, EpilogueScope::kOutputTile);

  TilePlan plan;
  plan.name = "gemm";
  plan.outputs = matrices.c.row_tiles() * n_tiles;
  plan.tiles = plan.outputs * k_tiles;
  plan.step = [=, stream_depth = pe.stream_depth, vector = pe.vector](std::int64_t t) {
    TileStep step;
    step.tile = t;
    step.index = {t / k_tiles / n_tiles, t / k_tiles % n_tiles, t % k_tiles};
    const auto [i, j, k] = step.index;
    const std::int64_t rows = matrices.c.rows_of(i);
    const std::int64_t columns = matrices.c.columns_of(j);
    step.inner = matrices.a.columns_of(k);
    step.slot = static_cast<std::int32_t>(t % stream_depth);
    if (!residency.a) step.streams.at(step.stream_count++) = matrices.a.tile(i, k);
    if (!residency.b) {
      step.second.at(step.stream_count) = true;
      step.streams.at(step.stream_count++) = matrices.b.tile(k, j);
    }
    step.fetch_bytes = (rows + columns) * step.inner * kElementBytes;
    step.macs = tile.m * tile.k * tile.n;
    step.partial = partials;
    step.first = k == 0;
    step.last = k == k_tiles - 1;
    step.vector_cycles = vector_cycles(vector, k_passes + (step.last ? output_passes : 0), rows * columns);
    step.output = {step.index, t, rows, columns, step.last ? matrices.c.tile(i, j) : Block{}};
    return step;
  };
  return plan;
}

}  // namespace kernbench
