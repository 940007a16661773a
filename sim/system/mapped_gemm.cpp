#include "sim/system/mapped_gemm.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/plan/mapped_program.hpp"
#include "sim/system/mapped_sources.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

namespace {

using Mapped = std::shared_ptr<const MappedGemm>;

/// A run of the kernel: shared by the coroutines that it is made of.
struct Run {
  Run(Mapped the_mapped, GemmCall the_call)
      : mapped(std::move(the_mapped)),
        call(std::move(the_call)),
        sources(sources_of(*mapped, call)),
        program(*mapped) {}
  [[nodiscard]] MappedGemm::Piece piece(BlockOf what, const BlockStep& step) const {
    return sources.at(static_cast<std::size_t>(what)).piece(*mapped, what, step);
  }
  [[nodiscard]] Operand& now(BlockOf what) { return operands.at(static_cast<std::size_t>(what)); }
  /// What a step, or load, has started. After steps that were passed over those before them stand for their last ones.
  [[nodiscard]] Pending& multiplied_in(std::int64_t step) {
    return multiplied.at(static_cast<std::size_t>(step - steps_passed));
  }
  [[nodiscard]] Operand& brought_by(std::int64_t load) {
    return brought.at(static_cast<std::size_t>(load - loads_passed));
  }
  void pass(std::int64_t steps);

  Mapped mapped;
  GemmCall call;
  MappedSources sources;
  MappedProgram program;
  MatrixLayout sums{};                             ///< that stay in TCM, or go to HBM
  std::array<std::vector<MatrixLayout>, 3> rooms;  ///< buffers, by BlockOf
  std::array<Operand, 3> operands{};               ///< what the present step multiplies or adds, by BlockOf
  std::vector<Operand> brought{};                  ///< of loads
  std::vector<Pending> multiplied{};               ///< of steps
  std::int64_t loads_passed = 0;
  std::int64_t steps_passed = 0;
};

void Run::pass(std::int64_t steps) {
  const std::int64_t started = program.loads_started();
  for (std::int64_t i = 0; i < steps; ++i) static_cast<void>(program.next());
  loads_passed += program.loads_started() - started;
  steps_passed += steps;
}

/// The largest block is that of the first step.
void take_rooms(KernelPe pe, Run& run, BlockOf what) {
  const MappedGemm& mapped = *run.mapped;
  const std::array<std::int64_t, 3> loads{mapped.loads_of_a(), mapped.loads_of_b(), mapped.loads_of_sums()};
  const std::int64_t rooms = std::min(mapped.mapping().buffers, loads.at(static_cast<std::size_t>(what)));
  for (std::int64_t i = 0; i < rooms; ++i) {
    run.rooms.at(static_cast<std::size_t>(what)).push_back(pe.tcm(run.piece(what, {}).matrix));
  }
}

Task<Operand> bring(KernelPe pe, Run* run, BlockLoad load) {
  const MappedGemm::Piece piece = run->piece(load.what, run->mapped->at(load.step));
  const std::vector<MatrixLayout>& rooms = run->rooms.at(static_cast<std::size_t>(load.what));
  const MatrixLayout into = piece.matrix.at(kOwnTcm, rooms.at(static_cast<std::size_t>(load.buffer)).base);
  if (piece.whole) co_return co_await pe.load(piece.matrix, into);
  co_return co_await pe.load(piece.matrix, piece.tiles, into);
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
    call.bias.matrix.base += bytes_of(column, whole.bias.matrix.dtype);
    call.bias.matrix.columns = c.matrix.columns;
    call.bias.matrix.tile_columns = c.matrix.columns;
  }
  return call;
}

Task<Pending> multiply(KernelPe pe, Run* run, std::int64_t number) {
  const MappedGemm& mapped = *run->mapped;
  const BlockStep step = mapped.at(number);
  for (const BlockOf what : {BlockOf::kA, BlockOf::kB}) {
    if (what == BlockOf::kA ? mapped.mapping().blocks.a : mapped.mapping().blocks.b) continue;
    const MappedGemm::Piece piece = run->piece(what, step);
    run->now(what) = Operand{piece.matrix, piece.matrix, nullptr, piece.tiles};
  }
  const MatrixLayout loaded = mapped.adds_loaded(step) ? run->now(BlockOf::kSums).matrix : MatrixLayout{};
  const GemmCall part = call_of(mapped, run->call, step, mapped.sums_of(run->sums, step, loaded));
  co_return co_await pe.composite(part, run->now(BlockOf::kA), run->now(BlockOf::kB));
}

Task<Picoseconds> make(KernelPe pe, Run* run, MappedCall made) {
  StepRepeats* const repeats = pe.step_repeats();
  const auto started = [repeats](const Completion* done) {
    if (repeats != nullptr) repeats->started(*done);
  };
  switch (made.what) {
    case MappedCall::What::kLoad: {
      const Operand operand = co_await bring(pe, run, run->program.load(made.number));
      run->brought.push_back(operand);
      started(operand.done);
      break;
    }
    case MappedCall::What::kRef: {
      const MappedGemm::Piece piece = run->piece(static_cast<BlockOf>(made.number), {});
      static_cast<void>(co_await pe.ref(piece.matrix, piece.tiles));
      break;
    }
    case MappedCall::What::kWaitForLoad: {
      Operand& now = run->now(run->program.load(made.number).what);
      now = run->brought_by(made.number);
      co_return co_await pe.wait(now);
    }
    case MappedCall::What::kWaitForStep:
      co_return co_await pe.wait(run->multiplied_in(made.number));
    case MappedCall::What::kMultiply:
      run->multiplied.push_back(co_await multiply(pe, run, made.number));
      started(run->multiplied.back().done);
      break;
  }
  co_return Picoseconds{};
}

}  // namespace

CountedOn counted_on(const MappedGemm& mapped) {
  const TileShape& tile = mapped.mapping().tile;
  const GemmProblem& problem = mapped.problem();
  const std::int64_t tiles = ceil_div(problem.m, tile.m) * ceil_div(problem.k, tile.k) * ceil_div(problem.n, tile.n);
  if (tiles < kLeastTilesRepeated) return CountedOn::kNothing;
  return mapped.steps() == 1 ? CountedOn::kTiles : CountedOn::kSteps;
}

Process run_mapped(KernelPe pe, GemmCall call, Mapped mapped) {
  if (call.has_bias()) {
    call.bias = co_await pe.load(call.matrices.bias);
    co_await pe.wait(call.bias);
  }
  Run run(mapped, call);
  for (const BlockOf what : {BlockOf::kA, BlockOf::kB, BlockOf::kSums}) take_rooms(pe, run, what);
  run.sums = call.matrices.kept;
  if (mapped->k_blocks() > 1 && !mapped->sums_in_hbm()) {
    run.sums = pe.tcm(mapped->sums_layout(pe.machine().die.hbm.burst));
  }
  StepRepeats* const repeats = pe.step_repeats();
  if (repeats != nullptr) {
    repeats->begin(mapped->loop_counts(), texts_of_steps(*mapped, call, repeats->interleaved()));
  }
  for (std::int64_t step = 0; step < mapped->steps(); ++step) {
    if (repeats != nullptr) {
      const std::int64_t passed = repeats->pass(step);
      run.pass(passed);
      step += passed;
    }
    for (const MappedCall& made : run.program.next()) co_await make(pe, &run, made);
  }
  co_await pe.wait(run.multiplied.back());
  for (const std::vector<MatrixLayout>& rooms : run.rooms) {
    for (const MatrixLayout& room : rooms) pe.release(room);
  }
  if (run.sums.in_tcm()) pe.release(run.sums);
  if (call.has_bias()) pe.release(call.bias);
}

}  // namespace kernbench
