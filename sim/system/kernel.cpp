#include "sim/system/kernel.hpp"

#include <utility>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/hw/values/matrix_values.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/kernel_names.hpp"

namespace kernbench {

namespace {

/// Row-major elements lie the same whatever the tiles are, but for groups; those of a blocked matrix are what they are.
MatrixLayout tiled(MatrixLayout matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.layout == Layout::kBlocked || is_grouped(matrix.dtype)) return matrix;
  matrix.tile_rows = rows;
  matrix.tile_columns = columns;
  return matrix;
}

/// Starts to bring the tiles of a matrix to their places in TCM.
Completion& gather(Pe& pe, const TileMap& tiles, const MatrixLayout& to) {
  std::vector<Block> from;
  std::vector<Block> places;
  for (std::int64_t row = 0; row < to.row_tiles(); ++row) {
    for (std::int64_t column = 0; column < to.column_tiles(); ++column) {
      from.push_back(tiles(row, column));
      places.push_back(to.tile(row, column));
    }
  }
  return pe.load(from, places);
}

}  // namespace

std::int32_t KernelPe::rank() const { return rank_->rank; }
std::int32_t KernelPe::size() const { return rank_->size(); }
const MachineSpec& KernelPe::machine() const { return rank_->system.machine(); }
StepRepeats* KernelPe::step_repeats() const { return rank_->system.step_repeats(); }

Task<Operand> KernelPe::load(MatrixLayout matrix) {
  co_await rank_->control_call();
  rank_->expect_set(matrix, "load: the matrix");
  if (matrix.in_tcm()) rank_->misuse("load of a matrix that is in TCM already");
  const Address address = rank_->pe.tcm_space().allocate(matrix.footprint(), "a loaded matrix", matrix.burst);
  const MatrixLayout copy = matrix.at(kOwnTcm, address);
  co_return Operand{copy, matrix, &rank_->pe.load(matrix, copy)};
}

Task<Operand> KernelPe::load(MatrixLayout matrix, MatrixLayout into) {
  co_await rank_->control_call();
  rank_->expect_set(matrix, "load: the matrix");
  if (matrix.in_tcm() || !into.in_tcm()) rank_->misuse("load: expected a matrix in a memory, and a buffer in TCM");
  rank_->expect_held(into, "load: the buffer");
  rank_->expect_alike(matrix, into, "load");
  co_return Operand{into, matrix, &rank_->pe.load(matrix, into)};
}

Task<Operand> KernelPe::load(MatrixLayout matrix, TileMap tiles) {
  co_await rank_->control_call();
  rank_->expect_set(matrix, "load: the matrix");
  const Address address = rank_->pe.tcm_space().allocate(matrix.footprint(), "a loaded matrix", matrix.burst);
  const MatrixLayout copy = matrix.at(kOwnTcm, address);
  co_return Operand{copy, matrix, &gather(rank_->pe, tiles, copy)};
}

Task<Operand> KernelPe::load(MatrixLayout matrix, TileMap tiles, MatrixLayout into) {
  co_await rank_->control_call();
  rank_->expect_set(matrix, "load: the matrix");
  if (!into.in_tcm()) rank_->misuse("load: expected a buffer in TCM");
  rank_->expect_held(into, "load: the buffer");
  rank_->expect_alike(matrix, into, "load");
  co_return Operand{into, matrix, &gather(rank_->pe, tiles, into)};
}

Task<Operand> KernelPe::ref(MatrixLayout matrix, TileMap tiles) {
  co_await rank_->control_call();
  rank_->expect_held(matrix, "ref: the matrix");
  co_return Operand{matrix, matrix, nullptr, std::move(tiles)};
}

Task<Pending> KernelPe::composite(Operand a, Operand b, MatrixLayout c) {
  GemmCall gemm;
  gemm.matrices.c = c;
  return composite(std::move(gemm), std::move(a), std::move(b));
}

Task<Pending> KernelPe::composite(GemmCall gemm, Operand a, Operand b) {
  co_await rank_->control_call();
  rank_->expect_operand(a, "composite: operand A");
  rank_->expect_operand(b, "composite: operand B");
  rank_->expect_held(gemm.matrices.c, "composite: C");
  const TileShape& tile = machine().pe.mac.tile;
  rank_->expect_tiles(a.matrix, tile.m, tile.k, "composite: operand A");
  rank_->expect_tiles(b.matrix, tile.k, tile.n, "composite: operand B");
  rank_->expect_tiles(gemm.matrices.c, tile.m, tile.n, "composite: C");
  gemm.matrices.a = tiled(a.matrix, tile.m, tile.k);
  gemm.matrices.b = tiled(b.matrix, tile.k, tile.n);
  gemm.matrices.c = tiled(gemm.matrices.c, tile.m, tile.n);
  gemm.matrices.a_tiles = a.tiles;
  gemm.matrices.b_tiles = b.tiles;
  rank_->complete(gemm.problem, gemm.matrices);
  if (gemm.has_bias()) {
    if (!gemm.bias.resident()) rank_->misuse("the bias of a composite is not in TCM: load it, and wait for it, first");
    rank_->expect_operand(gemm.bias, "composite: the bias");
    if (gemm.bias.matrix.rows != 1 || gemm.bias.matrix.columns != gemm.problem.n) {
      rank_->misuse("composite: the bias is " + dimensions(gemm.bias.matrix) + ": expected 1 x " +
                    std::to_string(gemm.problem.n) + ", the columns of C");
    }
    rank_->expect_dtype(gemm.bias.matrix, bias_of(gemm.matrices.c.dtype), "composite: the bias");
    gemm.matrices.bias = gemm.bias.matrix;
  }
  if (gemm.problem.has_auxiliary()) {
    rank_->expect_auxiliary(gemm.auxiliary, gemm.matrices.c);
    gemm.matrices.auxiliary = tiled(gemm.auxiliary.matrix, tile.m, tile.n);
  }
  gemm.matrices.sums = gemm.sums;
  co_return Pending{&rank_->pe.composite(make_gemm_plan(gemm.problem, gemm.matrices, machine().pe))};
}

Task<Pending> KernelPe::composite(MathCall math) {
  co_await rank_->control_call();
  rank_->complete(math.problem, math.matrices);
  const TileShape& tile = machine().pe.mac.tile;
  for (MatrixLayout* matrix : {&math.matrices.a, &math.matrices.b, &math.matrices.c}) {
    *matrix = tiled(*matrix, tile.m, tile.n);
  }
  co_return Pending{&rank_->pe.composite(make_math_plan(math.problem, math.matrices, machine().pe))};
}

Task<Pending> KernelPe::composite(TilePlan plan) {
  co_await rank_->control_call();
  if (plan.tiles < 1 || plan.outputs < 1 || !plan.step) {
    rank_->misuse("composite: the plan is not set: expected tiles, outputs and a step");
  }
  co_return Pending{&rank_->pe.composite(std::move(plan))};
}

Task<Pending> KernelPe::store(Operand operand) { co_return co_await store(operand.matrix, operand.home); }

Task<Pending> KernelPe::store(MatrixLayout from, MatrixLayout to) {
  co_await rank_->control_call();
  rank_->expect_held(from, "store: the matrix");
  rank_->expect_set(to, "store: the place");
  if (!from.in_tcm()) rank_->misuse("store of a matrix that is not in TCM: load it, or compute it there, first");
  if (to.in_tcm()) rank_->misuse("store into TCM: expected a place in a memory");
  rank_->expect_alike(from, to, "store");
  co_return Pending{&rank_->pe.store(from, to)};
}

Task<Picoseconds> KernelPe::wait(Operand operand) {
  const bool streamed = operand.done == nullptr && operand.home.rows > 0;
  co_return co_await wait(Pending{operand.done, !streamed});
}

Task<Picoseconds> KernelPe::wait(Pending pending) {
  co_await rank_->control_call();
  if (!pending.started) co_return rank_->system.calendar().elapsed();
  if (pending.done == nullptr) {
    rank_->misuse(
        "wait for what no call has started: expected what load, composite, store or send returned, or "
        "Pending::nothing()");
  }
  const RankWaits waits(*rank_, {.call = "wait", .done = pending.done});
  const Picoseconds asked = rank_->pe.now();
  static_cast<void>(rank_->ledger().called(asked));
  co_await pending.done->wait();
  rank_->ledger().waited(asked, rank_->pe.now(), pending.done->reason());
  co_return rank_->system.calendar().elapsed();
}

MatrixLayout KernelPe::tcm(std::int64_t rows, std::int64_t columns) { return tcm(rank_->shape(rows, columns)); }

MatrixLayout KernelPe::tcm(const MatrixLayout& like) {
  rank_->expect_set(like, "tcm: the matrix that the new one is to be like");
  return like.at(kOwnTcm, rank_->pe.tcm_space().allocate(like.footprint(), "a kernel's buffer", like.burst));
}

Bytes KernelPe::tcm_left() const { return rank_->pe.tcm_space().capacity() - rank_->pe.tcm_space().in_use(); }

MatrixLayout KernelPe::hbm(std::int64_t rows, std::int64_t columns) { return hbm(rank_->shape(rows, columns)); }

MatrixLayout KernelPe::hbm(const MatrixLayout& like) {
  rank_->expect_set(like, "hbm: the matrix that the new one is to be like");
  const Bytes alignment = hbm_alignment(machine().die);
  MemoryAllocator& space = rank_->system.space(rank_->index, MemoryTier::kHbm);
  return like.at(kOwnPartition, space.allocate(like.footprint(), "a kernel's matrix", alignment));
}

void KernelPe::release(const MatrixLayout& matrix) {
  rank_->expect_set(matrix, "release: the matrix");
  if (!matrix.in_tcm() && matrix.memory != kOwnPartition) {
    rank_->misuse("release of a matrix in another memory: its owner gives it back");
  }
  MemoryAllocator& space =
      matrix.in_tcm() ? rank_->pe.tcm_space() : rank_->system.space(rank_->index, MemoryTier::kHbm);
  if (space.release(matrix.base)) return;
  rank_->misuse("release of a matrix of " + dimensions(matrix) +
                " whose room has been given back, or begins elsewhere");
}

MatrixLayout KernelPe::of(std::int32_t rank, MatrixLayout matrix) const {
  if (rank == rank_->rank) return matrix;
  const std::int32_t pe = rank_->pe_of(rank_->peer(rank, "of"));
  const MemoryTier tier = matrix.in_tcm() ? MemoryTier::kTcm : MemoryTier::kHbm;
  return matrix.at(rank_->system.memory_node(pe, tier), matrix.base);
}

void KernelPe::fill(const MatrixLayout& matrix, const Element& value) {
  rank_->expect_held(matrix, "fill: the matrix");
  if (rank_->system.values() == nullptr) return;
  rank_->system.values()->clock().settle();
  fill_matrix(matrix, value, rank_->store_of(matrix));
}

void KernelPe::expect(const MatrixLayout& matrix, const Element& value) const {
  rank_->expect_held(matrix, "expect: the matrix");
  if (rank_->system.values() == nullptr) return;
  rank_->system.values()->clock().settle();
  rank_->launch.count_compared(matrix.rows * matrix.columns);
  Differences differences;
  differences.compare(matrix, value, rank_->store_of(matrix), "element ");
  if (!differences.describe().empty()) rank_->misuse("verification failed: " + differences.describe());
}

namespace {

Registry<GemmKernel>& registry() {
  static Registry<GemmKernel> kernels("variant");
  return kernels;
}

}  // namespace

RegisterGemmKernel::RegisterGemmKernel(GemmKernel kernel, SourcePlace place) {
  registry().add(std::move(kernel), place);
}

const std::vector<GemmKernel>& gemm_kernels() { return registry().all(); }

const GemmKernel& find_gemm_kernel(const std::string& name) {
  refuse_other_kinds(KernelKind::kGemm, name);
  return registry().find(name);
}

}  // namespace kernbench
