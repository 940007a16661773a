#include "sim/system/mapped_gemm.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kernbench {

namespace {

using Mapped = std::shared_ptr<const MappedGemm>;

/// An operand, or sums that go to HBM, or C where it is added to: its buffers, and what the present step multiplies or
/// adds.
struct Side {
  MatrixLayout whole;
  TileMap tiles;        ///< where they are, if not as `whole` says
  bool loaded = false;  ///< else an operand is streamed
  std::vector<MatrixLayout> rooms{};
  Operand now{};
};

/// A run of the kernel: shared by the coroutines that it is made of.
struct Run {
  Run(Mapped the_mapped, const GemmCall& call)
      : mapped(std::move(the_mapped)),
        sides{Side{call.matrices.a, call.matrices.a_tiles, mapped->mapping().blocks.a},
              Side{call.matrices.b, call.matrices.b_tiles, mapped->mapping().blocks.b},
              mapped->problem().adds ? Side{call.matrices.c, call.matrices.c_tiles, true}
                                     : Side{call.matrices.kept, {}, mapped->sums_in_hbm()}},
        loads(mapped->loads()) {}
  [[nodiscard]] Side& side(BlockOf what) { return sides.at(static_cast<std::size_t>(what)); }

  Mapped mapped;
  std::array<Side, 3> sides;  // by BlockOf
  std::vector<BlockLoad> loads;
  std::vector<Operand> brought{};     // of the loads, in their order
  std::vector<Pending> multiplied{};  // of the steps
  std::int64_t over = -1;             // the last step that has been waited for
};

MappedGemm::Piece piece_of(const MappedGemm& mapped, const Side& side, BlockOf what, const BlockStep& step) {
  if (what == BlockOf::kSums) return mapped.c(side.whole, step, side.tiles);
  return what == BlockOf::kB ? mapped.b(side.whole, step, side.tiles) : mapped.a(side.whole, step, side.tiles);
}

/// The largest block is that of the first step.
void take_rooms(KernelPe pe, Run& run, BlockOf what) {
  const MappedGemm& mapped = *run.mapped;
  const std::array<std::int64_t, 3> loads{mapped.loads_of_a(), mapped.loads_of_b(), mapped.loads_of_sums()};
  const std::int64_t rooms = std::min(mapped.mapping().buffers, loads.at(static_cast<std::size_t>(what)));
  for (std::int64_t i = 0; i < rooms; ++i) {
    run.side(what).rooms.push_back(pe.tcm(piece_of(mapped, run.side(what), what, {}).matrix));
  }
}

Task<Operand> bring(KernelPe pe, std::shared_ptr<Run> run, BlockLoad load) {
  const Side& side = run->side(load.what);
  const MappedGemm::Piece piece = piece_of(*run->mapped, side, load.what, run->mapped->at(load.step));
  const MatrixLayout into = piece.matrix.at(kOwnTcm, side.rooms.at(static_cast<std::size_t>(load.buffer)).base);
  if (piece.whole) co_return co_await pe.load(piece.matrix, into);
  co_return co_await pe.load(piece.matrix, piece.tiles, into);
}

/// Starts, in their order, the loads that steps up to `needed` use, and those that steps up to `before` make possible:
/// it waits for these steps.
Task<std::size_t> bring_all(KernelPe pe, std::shared_ptr<Run> run, std::int64_t needed, std::int64_t before) {
  while (run->brought.size() < run->loads.size()) {
    const BlockLoad load = run->loads[run->brought.size()];
    if (load.step > needed && load.after > before) break;
    if (load.after > run->over) {
      run->over = load.after;
      co_await pe.wait(run->multiplied.at(static_cast<std::size_t>(run->over)));
    }
    const Operand operand = co_await bring(pe, run, load);
    run->brought.push_back(operand);
  }
  co_return run->brought.size();
}

/// What a step computes: epilogues of whole outputs come after the last block along K.
GemmCall call_of(const MappedGemm& mapped, const GemmCall& whole, const BlockStep& step, const KeptSums& sums) {
  GemmCall call{whole.problem};
  call.problem.m = call.problem.k = call.problem.n = 0;
  const MappedGemm::Piece c = mapped.c(whole.matrices.c, step, whole.matrices.c_tiles);
  call.matrices.c = c.matrix;
  call.matrices.c_tiles = c.tiles;
  call.sums = sums;
  if (call.sums.keep) {
    call.problem.epilogues = per_k_tile(call.problem.epilogues);
  } else if (whole.has_bias()) {
    const std::int64_t column = step.j * mapped.mapping().block.n;
    call.bias = whole.bias;
    call.bias.matrix.layout = Layout::kRowMajor;  // a part of it, without gaps
    call.bias.matrix.base += column * bytes_of(whole.bias.matrix.dtype);
    call.bias.matrix.columns = c.matrix.columns;
    call.bias.matrix.tile_columns = c.matrix.columns;
  }
  return call;
}

}  // namespace

Process run_mapped(KernelPe pe, GemmCall call, Mapped mapped) {
  if (call.has_bias()) {
    call.bias = co_await pe.load(call.matrices.bias);
    co_await pe.wait(call.bias);
  }
  const auto run = std::make_shared<Run>(mapped, call);
  for (const BlockOf what : {BlockOf::kA, BlockOf::kB, BlockOf::kSums}) take_rooms(pe, *run, what);
  MatrixLayout sums = call.matrices.kept;
  if (mapped->k_blocks() > 1 && !mapped->sums_in_hbm()) sums = pe.tcm(mapped->sums_layout(pe.machine().die.hbm.burst));

  std::size_t arrived = 0;  // loads that steps up to now use
  for (std::int64_t s = 0; s < mapped->steps(); ++s) {
    const BlockStep step = mapped->at(s);
    co_await bring_all(pe, run, s, run->over);
    for (const BlockOf what : {BlockOf::kA, BlockOf::kB}) {
      Side& side = run->side(what);
      if (side.loaded) continue;
      const MappedGemm::Piece piece = piece_of(*mapped, side, what, step);
      side.now = Operand{piece.matrix, piece.matrix, nullptr, piece.tiles};
      if (s == 0) side.now = co_await pe.ref(piece.matrix, piece.tiles);
    }
    for (; arrived < run->loads.size() && run->loads[arrived].step == s; ++arrived) {
      Side& side = run->side(run->loads[arrived].what);
      side.now = run->brought.at(arrived);
      co_await pe.wait(side.now);
    }
    const MatrixLayout loaded = mapped->adds_loaded(step) ? run->side(BlockOf::kSums).now.matrix : MatrixLayout{};
    const GemmCall part = call_of(*mapped, call, step, mapped->sums_of(sums, step, loaded));
    run->multiplied.push_back(co_await pe.composite(part, run->sides[0].now, run->sides[1].now));
    co_await bring_all(pe, run, s, s - 1);
  }
  co_await pe.wait(run->multiplied.back());
  for (const Side& side : run->sides) {
    for (const MatrixLayout& room : side.rooms) pe.release(room);
  }
  if (sums.in_tcm()) pe.release(sums);
  if (call.has_bias()) pe.release(call.bias);
}

}  // namespace kernbench
