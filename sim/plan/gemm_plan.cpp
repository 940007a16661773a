#include "sim/plan/gemm_plan.hpp"

#include <algorithm>
#include <string>

#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/array_cycles.hpp"
#include "sim/machine/tcm_given.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"
#include "sim/plan/register_blocks.hpp"

namespace kernbench {

namespace {

VectorWork work_of(const GemmProblem& problem, EpilogueScope scope) {
  VectorWork sum;
  for (const Epilogue& epilogue : problem.epilogues) {
    if (epilogue.scope == scope) sum += vector_work(epilogue.op);
  }
  return sum;
}

/// Of what leaves the PE: C, or sums that go to HBM.
Dtype output_dtype(const GemmMatrices& matrices) {
  if (!matrices.sums.keep) return matrices.c.dtype;
  const Block kept = matrices.sums.tiles(0, 0);
  return kept.memory == kOwnTcm ? matrices.c.dtype : kept.dtype;
}

/// What holds streamed operands and finished outputs: whole bursts.
Bytes stages(const GemmMatrices& matrices, const PeSpec& pe) {
  const TileShape& tile = pe.mac.tile;
  Bytes bytes = matrices.c.in_tcm() ? 0 : pe.output_depth * tile.m * bytes_of(tile.n, output_dtype(matrices));
  if (!matrices.a.in_tcm()) bytes += pe.stream_depth * tile.m * bytes_of(tile.k, matrices.a.dtype);
  if (!matrices.b.in_tcm()) bytes += pe.stream_depth * tile.k * bytes_of(tile.n, matrices.b.dtype);
  const Bytes burst = matrices.a.burst;
  return ceil_div(bytes, burst) * burst;
}

TileMap tile_map(const MatrixLayout& matrix, const TileMap& elsewhere) {
  if (elsewhere) return elsewhere;
  return [matrix](std::int64_t row, std::int64_t column) { return matrix.tile(row, column); };
}

std::string name(Dtype dtype) { return std::string(name_of(dtype)); }

/// C has the dtype of sums of products.
void check_dtypes(const GemmProblem& problem, const GemmMatrices& matrices) {
  const Dtype operands = matrices.a.dtype;
  const Dtype result = problem.dtype_c.value_or(result_of(operands));
  check_operands(operands, matrices.b.dtype);
  if (result != result_of(operands) && result != accumulator_of(operands)) {
    throw ConfigError("C is " + name(result) + " of " + name(operands) + ": expected " + name(result_of(operands)) +
                      " or " + name(accumulator_of(operands)));
  }
  if (matrices.c.dtype != result) {
    throw ConfigError("A and B are multiplied as " + name(operands) + " and C is " + name(matrices.c.dtype) +
                      ": expected C as " + name(result));
  }
}

/// What makes room in the TCM.
std::string remedy(Residency residency, const PeSpec& pe) {
  if (residency.a && residency.b) return "stream an operand (variant ref_ref or load_ref) or enlarge the TCM";
  if (residency.a || residency.b) return "stream this operand too (variant ref_ref) or enlarge the TCM";
  std::string lower;
  if (pe.stream_depth > 1) lower = " pe.stream_depth";
  if (pe.output_depth > 1) lower += (lower.empty() ? "" : " or") + std::string(" pe.output_depth");
  return "enlarge the TCM, take smaller tiles (--map tile=MxKxN), or " +
         (lower.empty() ? "a dtype of fewer bytes" : "lower" + lower);
}

}  // namespace

void check_operands(Dtype a, Dtype b) {
  const bool whole = accumulator_of(a) == Dtype::kInt32;
  if (a == b || (is_smaller(b, a) && !whole)) return;
  if (whole) {
    throw ConfigError("A is " + name(a) + " and B " + name(b) + ": expected " + name(a) +
                      " for both, as nothing is converted to whole numbers");
  }
  throw ConfigError("A is " + name(a) + " and B " + name(b) +
                    ": expected one dtype, or for B one of fewer bytes an element, which the vector unit converts to "
                    "that of A");
}

void check_epilogues(const std::vector<Epilogue>& epilogues, Dtype operands) {
  const bool whole = accumulator_of(operands) == Dtype::kInt32;
  for (const Epilogue& epilogue : epilogues) {
    if (reduces(epilogue.op)) {
      throw ConfigError("epilogue '" + std::string(kVectorOps[epilogue.op]) +
                        "': a reduction is a composite of its own, as its result has another shape");
    }
    if (!whole || epilogue.op == VectorOp::kBias || epilogue.op == VectorOp::kRelu) continue;
    throw ConfigError("epilogue '" + std::string(kVectorOps[epilogue.op]) + "' with dtype " + name(operands) +
                      ": expected bias or relu, which keep whole numbers whole, or a floating-point dtype");
  }
}

bool GemmProblem::has_epilogue(VectorOp op) const {
  return std::ranges::any_of(epilogues, [op](const Epilogue& epilogue) { return epilogue.op == op; });
}

OutputWork output_work(const GemmProblem& problem) {
  return {problem.has_partials() ? work_of(problem, EpilogueScope::kKTile) + kAddition : VectorWork{},
          work_of(problem, EpilogueScope::kOutputTile)};
}

bool GemmProblem::has_partials() const { return !per_k_tile(epilogues).empty(); }

GemmMatrices place_gemm(const GemmProblem& problem, const MachineSpec& machine, const MatrixLayout& kept) {
  for (const Epilogue& epilogue : problem.epilogues) refuse_auxiliary(epilogue.op);
  expect_rate(machine.pe.mac, problem.dtype);
  check_operands(problem.dtype, problem.stored_b());
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  const TileShape& tile = machine.pe.mac.tile;
  PartitionAllocator placement(machine.die, problem.layout);
  GemmMatrices matrices;
  matrices.a = placement.place(problem.m, problem.k, tile.m, tile.k, problem.dtype);
  matrices.b = placement.place(problem.k, problem.n, tile.k, tile.n, problem.stored_b());
  matrices.c = placement.place(problem.m, problem.n, tile.m, tile.n, problem.result());
  if (problem.has_epilogue(VectorOp::kBias))
    matrices.bias = placement.place(1, problem.n, 1, problem.n, bias_of(problem.result()));
  if (kept.rows > 0) matrices.kept = kept.at(kOwnPartition, placement.place(kept.footprint()));
  placement.check_capacity();
  return matrices;
}

Bytes tcm_bytes_needed(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe) {
  Bytes bytes = stages(matrices, pe);
  for (const MatrixLayout* matrix : {&matrices.a, &matrices.b, &matrices.c}) {
    if (matrix->in_tcm()) bytes += matrix->room();
  }
  if (problem.has_epilogue(VectorOp::kBias)) bytes += matrices.bias.room();
  if (problem.has_auxiliary()) bytes += matrices.auxiliary.room();
  return bytes;
}

GemmMatrices loaded(const GemmProblem& problem, GemmMatrices matrices, Residency residency) {
  Address next = 0;
  const auto load = [&next](MatrixLayout& matrix) {
    matrix = matrix.at(kOwnTcm, next);
    next += matrix.room();
  };
  if (problem.has_epilogue(VectorOp::kBias)) load(matrices.bias);
  if (residency.a) load(matrices.a);
  if (residency.b) load(matrices.b);
  return matrices;
}

/// Whether store adds to what was kept. What is loaded is not kept where it is loaded to.
static bool adds_by_store(const KeptSums& sums, const PeSpec& pe) {
  return pe.store_accumulates() && sums.add && sums.keep && sums.loaded.rows == 0 && sums.tiles(0, 0).memory == kOwnTcm;
}

/// Sums that come from HBM (32.19).
static bool has_loaded_sums(const GemmMatrices& matrices) { return matrices.sums.add && matrices.sums.loaded.rows > 0; }

/// What is in TCM while the composite runs.
static std::vector<MatrixLayout> residents_of(const GemmProblem& problem, const GemmMatrices& matrices) {
  std::vector<MatrixLayout> resident;
  for (const MatrixLayout* matrix : {&matrices.a, &matrices.b}) {
    if (matrix->in_tcm()) resident.push_back(*matrix);
  }
  if (problem.has_epilogue(VectorOp::kBias)) resident.push_back(matrices.bias);
  if (problem.has_auxiliary()) resident.push_back(matrices.auxiliary);
  if (has_loaded_sums(matrices)) resident.push_back(matrices.sums.loaded);
  return resident;
}

/// With the last K tile of an output comes what was kept of it, unless store adds to that where it is.
static void await_sum(TileStep& step, const GemmMatrices& matrices, bool by_store) {
  const bool loaded = has_loaded_sums(matrices);
  const std::int64_t i = step.index.i;
  const std::int64_t j = step.index.j;
  step.awaits_sum = !loaded;
  step.output.adds_sum = !by_store;
  step.output.accumulates = by_store;
  if (by_store) return;
  step.sum = loaded ? matrices.sums.loaded.tile(i, j) : matrices.sums.tiles(i, j);
  step.fetch_bytes += step.sum.bytes();
}

/// Over rows and columns of C, and along K; nothing where tiles come in register blocks, lie apart from their matrix,
/// or sums are kept.
static std::vector<TileLoop> loops_of(const GemmMatrices& matrices, const RegisterBlock& block) {
  if (block.tiles() > 1 || matrices.a_tiles || matrices.b_tiles || matrices.c_tiles || matrices.sums.add ||
      matrices.sums.keep)
    return {};
  const MatrixLayout& a = matrices.a;
  const MatrixLayout& b = matrices.b;
  const MatrixLayout& c = matrices.c;
  const auto rows = [](const MatrixLayout& matrix) { return matrix.in_tcm() ? 0 : matrix.row_stride(); };
  const auto columns = [](const MatrixLayout& matrix) { return matrix.in_tcm() ? 0 : matrix.column_stride(); };
  return {{a.row_tiles(), {rows(a), rows(c)}},
          {b.column_tiles(), {columns(b), columns(c)}},
          {a.column_tiles(), {columns(a), rows(b)}}};
}

TilePlan make_gemm_plan(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe) {
  check_dtypes(problem, matrices);
  check_epilogues(problem.epilogues, matrices.a.dtype);
  const Residency residency{matrices.a.in_tcm(), matrices.b.in_tcm()};
  const Bytes needed = tcm_bytes_needed(problem, matrices, pe);
  if (needed > pe.tcm.capacity) {
    throw CapacityError("the operands do not fit the TCM: this plan needs " + std::to_string(needed) + " bytes and " +
                        tcm_given(pe.tcm.capacity, pe.tcm.taken) + ": " + missing_bytes(needed - pe.tcm.capacity) +
                        "; " + remedy(residency, pe));
  }
  const std::int64_t k_tiles = matrices.a.column_tiles();
  const std::int64_t n_tiles = matrices.b.column_tiles();
  const TileShape tile = pe.mac.tile;
  const bool partials = problem.has_partials();
  const OutputWork work = output_work(problem);
  const bool by_store = adds_by_store(matrices.sums, pe);
  const VectorWork last_work = work.k_tile + work.output + (matrices.sums.add && !by_store ? kAddition : VectorWork{});
  const bool converts = matrices.b.dtype != matrices.a.dtype;

  TilePlan plan;
  plan.name = "gemm";
  plan.outputs = matrices.c.row_tiles() * n_tiles;
  plan.tiles = plan.outputs * k_tiles;
  plan.stages = stages(matrices, pe);
  plan.loops = loops_of(matrices, pe.mac.register_block);
  plan.work = {{}, problem.epilogues, matrices.bias};
  plan.resident = residents_of(problem, matrices);
  const bool auxiliary = problem.has_auxiliary();
  const TileMap a_tile = tile_map(matrices.a, matrices.a_tiles);
  const TileMap b_tile = tile_map(matrices.b, matrices.b_tiles);
  const TileMap c_tile = matrices.sums.keep ? matrices.sums.tiles : tile_map(matrices.c, matrices.c_tiles);
  const RegisterBlocks order(pe.mac.register_block, {matrices.c.row_tiles(), k_tiles, n_tiles});
  plan.step = [=, stream_depth = pe.stream_depth, shaped = pe.mac.has_shape(), vector = pe.vector](std::int64_t t) {
    TileStep step;
    step.tile = t;
    const RegisterBlocks::Place place = order.at(t);
    step.index = place.index;
    const auto [i, j, k] = step.index;
    const bool last = k == k_tiles - 1;
    const std::int64_t rows = matrices.c.rows_of(i);
    const std::int64_t columns = matrices.c.columns_of(j);
    step.inner = matrices.a.columns_of(k);
    step.slot = static_cast<std::int32_t>(t % stream_depth);
    step.operands = {a_tile(i, k), b_tile(k, j)};
    if (!residency.a || !place.has_a) step.fetch_bytes += rows * bytes_of(step.inner, matrices.a.dtype);
    if (!residency.b || !place.has_b || converts) step.fetch_bytes += step.inner * bytes_of(columns, matrices.b.dtype);
    if (converts) {
      step.convert_cycles = vector_cycles(vector, {.convert = 1}, step.inner * columns);
      step.conversions = vector_operations({.convert = 1}, step.inner * columns);
    }
    if (auxiliary && last) {
      step.auxiliary = matrices.auxiliary.tile(i, j);
      step.fetch_bytes += step.auxiliary.bytes();
    }
    step.macs = shaped ? rows * step.inner * columns : tile.m * tile.k * tile.n;
    step.partial = partials;
    step.first = k == 0;
    step.last = last;
    const VectorWork& passes = last ? last_work : work.k_tile;
    step.vector_cycles = vector_cycles(vector, passes, rows * columns);
    step.vector_operations = step.conversions + vector_operations(passes, rows * columns);
    step.output = {step.index, t, rows, columns, j * tile.n, last ? c_tile(i, j) : Block{}, place.in_block};
    step.output.keeps_sum = matrices.sums.keep && last && step.output.block.memory == kOwnTcm;
    if (last && matrices.sums.add) await_sum(step, matrices, by_store);
    return step;
  };
  return plan;
}

}  // namespace kernbench
