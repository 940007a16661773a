#include "sim/system/mapped_gemm.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kernbench {

namespace {

using Mapped = std::shared_ptr<const MappedGemm>;

/// An operand: its buffers, and what the present step multiplies.
struct Side {
  MatrixLayout whole;
  TileMap tiles;        ///< where they are, if not as `whole` says
  bool loaded = false;  ///< else it is streamed
  std::vector<MatrixLayout> rooms{};
  Operand now{};
};

/// A run of the kernel: shared by the coroutines that it is made of.
struct Run {
  Run(Mapped the_mapped, const GemmCall& call)
      : mapped(std::move(the_mapped)),
        sides{Side{call.matrices.a, call.matrices.a_tiles, mapped->mapping().blocks.a},
              Side{call.matrices.b, call.matrices.b_tiles, mapped->mapping().blocks.b}},
        loads(mapped->loads()) {}
  [[nodiscard]] Side& side(bool of_b) { return sides.at(of_b ? 1 : 0); }

  Mapped mapped;
  std::array<Side, 2> sides;
  std::vector<BlockLoad> loads;
  std::vector<Operand> brought{};     // of the loads, in their order
  std::vector<Pending> multiplied{};  // of the steps
  std::int64_t over = -1;             // the last step that has been waited for
};

MappedGemm::Piece piece_of(const MappedGemm& mapped, const Side& side, bool of_b, const BlockStep& step) {
  return of_b ? mapped.b(side.whole, step, side.tiles) : mapped.a(side.whole, step, side.tiles);
}

/// The largest block is that of the first step.
void take_rooms(KernelPe pe, Run& run, bool of_b) {
  const std::int64_t loads = of_b ? run.mapped->loads_of_b() : run.mapped->loads_of_a();
  const MatrixLayout block = piece_of(*run.mapped, run.side(of_b), of_b, {}).matrix;
  for (std::int64_t i = 0; i < std::min(run.mapped->mapping().buffers, loads); ++i) {
    run.side(of_b).rooms.push_back(pe.tcm(block));
  }
}

Task<Operand> bring(KernelPe pe, std::shared_ptr<Run> run, BlockLoad load) {
  const Side& side = run->side(load.of_b);
  const MappedGemm::Piece piece = piece_of(*run->mapped, side, load.of_b, run->mapped->at(load.step));
  const MatrixLayout into = piece.matrix.at(kOwnTcm, side.rooms.at(static_cast<std::size_t>(load.buffer)).base);
  if (piece.whole) co_return co_await pe.load(piece.matrix, into);
  co_return co_await pe.load(piece.matrix, piece.tiles, into);
}

/// Starts, in their order, the loads that steps up to `needed` use, and those whose buffers steps up to `before` leave:
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
GemmCall call_of(const MappedGemm& mapped, const GemmCall& whole, const BlockStep& step, const MatrixLayout& sums) {
  GemmCall call{whole.problem};
  call.problem.m = call.problem.k = call.problem.n = 0;
  const MappedGemm::Piece c = mapped.c(whole.matrices.c, step, whole.matrices.c_tiles);
  call.matrices.c = c.matrix;
  call.matrices.c_tiles = c.tiles;
  if (mapped.k_blocks() > 1) {
    call.sums = {mapped.sums_of(sums, step), !mapped.first_along_k(step), !mapped.last_along_k(step)};
  }
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
  for (const bool of_b : {false, true}) take_rooms(pe, *run, of_b);
  MatrixLayout sums;
  if (mapped->k_blocks() > 1) sums = pe.tcm(mapped->sums_layout(pe.machine().die.hbm.burst));

  std::size_t arrived = 0;  // loads that steps up to now use
  for (std::int64_t s = 0; s < mapped->steps(); ++s) {
    const BlockStep step = mapped->at(s);
    co_await bring_all(pe, run, s, run->over);
    for (const bool of_b : {false, true}) {
      Side& side = run->side(of_b);
      if (side.loaded) continue;
      const MappedGemm::Piece piece = piece_of(*mapped, side, of_b, step);
      side.now = Operand{piece.matrix, piece.matrix, nullptr, piece.tiles};
      if (s == 0) side.now = co_await pe.ref(piece.matrix, piece.tiles);
    }
    for (; arrived < run->loads.size() && run->loads[arrived].step == s; ++arrived) {
      Side& side = run->side(run->loads[arrived].of_b);
      side.now = run->brought.at(arrived);
      co_await pe.wait(side.now);
    }
    const GemmCall part = call_of(*mapped, call, step, sums);
    run->multiplied.push_back(co_await pe.composite(part, run->sides[0].now, run->sides[1].now));
    co_await bring_all(pe, run, s, s - 1);
  }
  co_await pe.wait(run->multiplied.back());
}

}  // namespace kernbench
