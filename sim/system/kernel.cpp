#include "sim/system/kernel.hpp"

#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/matrix_values.hpp"

namespace kernbench {

namespace {

/// Row-major elements lie the same whatever the tiles are; those of a blocked matrix are what they are.
MatrixLayout tiled(MatrixLayout matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.layout == Layout::kBlocked) return matrix;
  matrix.tile_rows = rows;
  matrix.tile_columns = columns;
  return matrix;
}

}  // namespace

std::int32_t KernelPe::rank() const { return rank_->rank; }
std::int32_t KernelPe::size() const { return rank_->size(); }
const MachineSpec& KernelPe::machine() const { return rank_->system.machine(); }

Task<Operand> KernelPe::load(MatrixLayout matrix) {
  co_await rank_->control_call();
  if (matrix.in_tcm()) rank_->misuse("load of a matrix that is in TCM already");
  const Address address = rank_->pe.tcm_space().allocate(matrix.footprint(), "a loaded matrix");
  const MatrixLayout copy = matrix.at(kOwnTcm, address);
  co_return Operand{copy, matrix, &rank_->pe.load(matrix, copy)};
}

Task<Operand> KernelPe::load(MatrixLayout matrix, MatrixLayout into) {
  co_await rank_->control_call();
  if (matrix.in_tcm() || !into.in_tcm()) rank_->misuse("load: expected a matrix in a memory, and a buffer in TCM");
  co_return Operand{into, matrix, &rank_->pe.load(matrix, into)};
}

Task<Operand> KernelPe::ref(MatrixLayout matrix, TileMap tiles) {
  co_await rank_->control_call();
  co_return Operand{matrix, matrix, nullptr, std::move(tiles)};
}

Task<Pending> KernelPe::composite(GemmCall gemm, Operand a, Operand b) {
  co_await rank_->control_call();
  rank_->expect_loaded(a, "A");
  rank_->expect_loaded(b, "B");
  const TileShape& tile = machine().pe.mac.tile;
  gemm.matrices.a = tiled(a.matrix, tile.m, tile.k);
  gemm.matrices.b = tiled(b.matrix, tile.k, tile.n);
  gemm.matrices.c = tiled(gemm.matrices.c, tile.m, tile.n);
  gemm.matrices.a_tiles = a.tiles;
  gemm.matrices.b_tiles = b.tiles;
  if (gemm.has_bias()) {
    if (!gemm.bias.resident()) rank_->misuse("the bias of a composite is not in TCM: load it, and wait for it, first");
    rank_->expect_loaded(gemm.bias, "the bias");
    gemm.matrices.bias = gemm.bias.matrix;
  }
  if (gemm.problem.has_auxiliary()) {
    rank_->expect_auxiliary(gemm.auxiliary, gemm.matrices.c);
    gemm.matrices.auxiliary = tiled(gemm.auxiliary.matrix, tile.m, tile.n);
  }
  co_return Pending{&rank_->pe.composite(make_gemm_plan(gemm.problem, gemm.matrices, machine().pe))};
}

Task<Pending> KernelPe::composite(MathCall math) {
  co_await rank_->control_call();
  const TileShape& tile = machine().pe.mac.tile;
  for (MatrixLayout* matrix : {&math.matrices.a, &math.matrices.b, &math.matrices.c}) {
    *matrix = tiled(*matrix, tile.m, tile.n);
  }
  co_return Pending{&rank_->pe.composite(make_math_plan(math.problem, math.matrices, machine().pe))};
}

Task<Pending> KernelPe::composite(TilePlan plan) {
  co_await rank_->control_call();
  co_return Pending{&rank_->pe.composite(std::move(plan))};
}

Task<Pending> KernelPe::store(Operand operand) { co_return co_await store(operand.matrix, operand.home); }

Task<Picoseconds> KernelPe::wait(Operand operand) { co_return co_await wait(Pending{operand.done}); }

Task<Pending> KernelPe::store(MatrixLayout from, MatrixLayout to) {
  co_await rank_->control_call();
  if (!from.in_tcm()) rank_->misuse("store of a matrix that is not in TCM: load it, or compute it there, first");
  if (to.in_tcm()) rank_->misuse("store into TCM: expected a place in a memory");
  co_return Pending{&rank_->pe.store(from, to)};
}

Task<Picoseconds> KernelPe::wait(Pending pending) {
  co_await rank_->control_call();
  if (pending.done != nullptr) co_await pending.done->wait();
  co_return rank_->pe.now();
}

Task<Pending> KernelPe::send(MatrixLayout matrix, std::int32_t to, std::int32_t channel) {
  co_await rank_->control_call();
  MessageQueue& queue = rank_->queue_to(rank_->peer(to, "send"), channel);
  Completion& left = rank_->sent(matrix);
  queue.send(matrix.footprint(), rank_->place_of(matrix, "send"), &left);
  co_return Pending{&left};
}

Task<Picoseconds> KernelPe::recv(MatrixLayout into, std::int32_t from, std::int32_t channel) {
  return receive(into, from, channel, false);
}

Task<Picoseconds> KernelPe::recv_add(MatrixLayout into, std::int32_t from, std::int32_t channel) {
  return receive(into, from, channel, true);
}

Task<Picoseconds> KernelPe::receive(MatrixLayout into, std::int32_t from, std::int32_t channel, bool add) {
  co_await rank_->control_call();
  const char* call = add ? "recv_add" : "recv";
  MessageQueue& queue = rank_->queue_from(rank_->peer(from, call), channel);
  const auto landing = add ? MessageQueue::Landing::kAdd : MessageQueue::Landing::kReplace;
  co_return co_await queue.receive(into.footprint(), landing, rank_->place_of(into, call), 0);
}

Task<Picoseconds> KernelPe::barrier() {
  const MatrixLayout sent = rank_->barrier_elements();
  const MatrixLayout received = sent.at(kOwnTcm, sent.base + kElementBytes);
  std::int32_t round = 0;
  for (std::int32_t distance = 1; distance < size(); distance *= 2) {
    const std::int32_t channel = -1 - round++;  // of their own
    co_await send(sent, (rank() + distance) % size(), channel);
    co_await recv(received, (rank() - distance + size()) % size(), channel);
  }
  co_return rank_->pe.now();
}

MatrixLayout KernelPe::tcm(std::int64_t rows, std::int64_t columns) {
  MatrixLayout matrix = rank_->shape(rows, columns);
  return matrix.at(kOwnTcm, rank_->pe.tcm_space().allocate(matrix.footprint(), "a kernel's buffer", matrix.burst));
}

MatrixLayout KernelPe::tcm(const MatrixLayout& like) {
  return like.at(kOwnTcm, rank_->pe.tcm_space().allocate(like.footprint(), "a kernel's buffer", like.burst));
}

Bytes KernelPe::tcm_left() const { return rank_->pe.tcm_space().capacity() - rank_->pe.tcm_space().in_use(); }

MatrixLayout KernelPe::hbm(std::int64_t rows, std::int64_t columns) { return hbm(rank_->shape(rows, columns)); }

MatrixLayout KernelPe::hbm(const MatrixLayout& like) {
  const Bytes alignment = like.burst * machine().die.hbm.pseudo_channels;
  MemoryAllocator& space = rank_->system.space(rank_->index, MemoryTier::kHbm);
  return like.at(kOwnPartition, space.allocate(like.footprint(), "a kernel's matrix", alignment));
}

void KernelPe::release(const MatrixLayout& matrix) {
  if (matrix.in_tcm()) {
    rank_->pe.tcm_space().release(matrix.base);
  } else if (matrix.memory == kOwnPartition) {
    rank_->system.space(rank_->index, MemoryTier::kHbm).release(matrix.base);
  } else {
    rank_->misuse("release of a matrix in another memory: its owner gives it back");
  }
}

MatrixLayout KernelPe::of(std::int32_t rank, MatrixLayout matrix) const {
  if (rank == rank_->rank) return matrix;
  const std::int32_t pe = rank_->pe_of(rank_->peer(rank, "of"));
  const MemoryTier tier = matrix.in_tcm() ? MemoryTier::kTcm : MemoryTier::kHbm;
  return matrix.at(rank_->system.memory_node(pe, tier), matrix.base);
}

void KernelPe::fill(const MatrixLayout& matrix, const Element& value) {
  if (rank_->system.values() == nullptr) return;
  rank_->system.values()->clock().settle();
  fill_matrix(matrix, value, rank_->store_of(matrix));
}

void KernelPe::expect(const MatrixLayout& matrix, const Element& value) const {
  if (rank_->system.values() == nullptr) return;
  rank_->system.values()->clock().settle();
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

const GemmKernel& find_gemm_kernel(const std::string& name) { return registry().find(name); }

}  // namespace kernbench
