// grid_shift: Cannon's algorithm on a grid of PEs. Each multiplies its block of C; parts of A's rows go round the rows
// of the grid, parts of B's columns round its columns, and what comes from no neighbour is loaded.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

namespace {

constexpr auto kBlocks = PlacementPolicy::kBlocks;

/// A part of K: `part` of as many as the longer side of the grid has PEs, of which each step takes the `slab`-th piece.
struct KPart {
  std::int64_t part = 0;
  std::int64_t slab = 0;
  bool operator==(const KPart&) const = default;
};

/// Which of A and B.
enum class Moves : std::uint8_t { kA, kB };

/// The grid of PEs, and what each does when.
class Grid {
 public:
  Grid(const PlacedGemm& gemm, std::int64_t slabs) : gemm_(gemm), slabs_(slabs) {
    while (columns_ < gemm.pes && gemm.c.tiles(static_cast<int>(columns_)).rows == gemm.c.tiles(0).rows) ++columns_;
    rows_ = gemm.pes / columns_;
    parts_ = std::max(rows_, columns_);
  }

  [[nodiscard]] std::int64_t steps() const { return parts_ * slabs_; }
  [[nodiscard]] KPart at(int pe, std::int64_t step) const {
    return {(pe / columns_ + pe % columns_ + step) % parts_, step / parts_};
  }
  /// Tiles along K.
  [[nodiscard]] Interval k_tiles(const KPart& k) const {
    const Interval part = piece_of(gemm_.a.shape().column_tiles(), parts_, k.part);
    const Interval piece = piece_of(part.size(), slabs_, k.slab);
    return {part.begin + piece.begin, part.begin + piece.end};
  }
  /// What a PE multiplies in a step.
  [[nodiscard]] Rect tiles(Moves what, int pe, std::int64_t step) const {
    const Rect c = gemm_.c.tiles(pe);
    const Interval k = k_tiles(at(pe, step));
    return what == Moves::kA ? Rect{c.rows, k} : Rect{k, c.columns};
  }
  [[nodiscard]] const PlacedMatrix& matrix(Moves what) const { return what == Moves::kA ? gemm_.a : gemm_.b; }
  /// As a matrix of its own; without rows or columns where there is nothing.
  [[nodiscard]] MatrixLayout piece(Moves what, int pe, std::int64_t step) const {
    return matrix(what).piece(tiles(what, pe, step));
  }
  /// Where it goes when it has been multiplied, and where the next one comes from.
  [[nodiscard]] int next(Moves what, int pe) const { return neighbour(what, pe, -1); }
  [[nodiscard]] int before(Moves what, int pe) const { return neighbour(what, pe, 1); }
  /// Whether what a PE needs in a step is what `before` has multiplied in the step before it.
  [[nodiscard]] bool comes(Moves what, int pe, std::int64_t step) const {
    return step > 0 && step < steps() && before(what, pe) != pe && at(pe, step) == at(before(what, pe), step - 1);
  }
  /// Whether `next` needs what a PE multiplies in this step.
  [[nodiscard]] bool goes(Moves what, int pe, std::int64_t step) const { return comes(what, next(what, pe), step + 1); }
  /// The steps, of those with something to multiply, that begin and end the sums.
  [[nodiscard]] Interval of_sums(int pe) const {
    Interval all{steps(), 0};
    for (std::int64_t step = 0; step < steps(); ++step) {
      if (k_tiles(at(pe, step)).empty()) continue;
      all = {std::min(all.begin, step), step + 1};
    }
    return all;
  }

  /// The largest part: that of PE 0 in the first piece of K.
  [[nodiscard]] MatrixLayout room(Moves what) const {
    const Interval k = k_tiles({});
    const Rect c = gemm_.c.tiles(0);
    return matrix(what).piece(what == Moves::kA ? Rect{c.rows, k} : Rect{k, c.columns});
  }
  /// Sums of a PE's C between steps.
  [[nodiscard]] MatrixLayout sums(int pe) const {
    const MatrixLayout& c = gemm_.c.part(pe);
    return {Layout::kBlocked, c.rows,         c.columns,
            c.tile_rows,      c.tile_columns, 0,
            c.burst,          kOwnTcm,        accumulator_of(gemm_.problem.dtype)};
  }
  /// Two parts of A and of B, sums, the stages of a composite.
  [[nodiscard]] Bytes tcm(const PeSpec& pe) const {
    GemmMatrices matrices;
    matrices.a = room(Moves::kA).at(kOwnTcm, 0);
    matrices.b = room(Moves::kB).at(kOwnTcm, 0);
    matrices.c.dtype = gemm_.problem.result();
    const Bytes second = matrices.a.room() + matrices.b.room();
    return tcm_bytes_needed(gemm_.problem, matrices, pe) + second + (steps() > 1 ? sums(0).room() : 0);
  }

 private:
  [[nodiscard]] int neighbour(Moves what, int pe, std::int64_t by) const {
    const std::int64_t row = pe / columns_;
    const std::int64_t column = pe % columns_;
    return static_cast<int>(what == Moves::kA ? row * columns_ + (column + columns_ + by) % columns_
                                              : (row + rows_ + by) % rows_ * columns_ + column);
  }

  const PlacedGemm& gemm_;
  std::int64_t slabs_;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t parts_ = 1;
};

/// With as few pieces of K as fit.
Grid grid_of(const PlacedGemm& gemm, const PeSpec& pe) {
  const std::int64_t whole = Grid(gemm, 1).k_tiles({}).size();
  for (std::int64_t slabs = 1;;) {
    const Grid grid(gemm, slabs);
    const std::int64_t tiles = grid.k_tiles({}).size();
    if (tiles <= 1 || grid.tcm(pe) <= gemm.tcm) return grid;
    slabs = ceil_div(whole, tiles - 1);  // the next that makes pieces smaller
  }
}

/// One operand on its way through a PE.
struct Moving {
  Moves what = Moves::kA;
  MatrixLayout here{};  ///< rooms in TCM
  MatrixLayout next{};
  Operand now{};      ///< what is multiplied
  Operand loading{};  ///< for the next step
  bool loads = false;
  Pending sent = Pending::nothing();
};

bool any(const MatrixLayout& matrix) { return matrix.rows > 0 && matrix.columns > 0; }

struct Rank {
  Rank(const PlacedGemm& the_gemm, const PeSpec& spec, int number)
      : gemm(&the_gemm), grid(grid_of(the_gemm, spec)), pe(number), of_sums(grid.of_sums(number)) {}
  const PlacedGemm* gemm;
  Grid grid;
  int pe;
  Interval of_sums;  ///< steps
  MatrixLayout sums{};
};

/// Starts to load what a step needs.
Task<Operand> load(KernelPe pe, const Rank* rank, Moves what, std::int64_t step, MatrixLayout room) {
  const MatrixLayout piece = rank->grid.piece(what, rank->pe, step);
  const Rect tiles = rank->grid.tiles(what, rank->pe, step);
  const PlacedMatrix* matrix = &rank->grid.matrix(what);
  const TileMap where = [matrix, tiles, reader = rank->pe](std::int64_t i, std::int64_t j) {
    return matrix->tile(tiles.rows.begin + i, tiles.columns.begin + j, reader);
  };
  co_return co_await pe.load(piece, where, piece.at(kOwnTcm, room.base));
}

GemmCall call_of(const Rank& rank, std::int64_t step) {
  GemmCall call{rank.gemm->problem};
  call.problem.m = call.problem.k = call.problem.n = 0;
  call.matrices.c = rank.gemm->c.part(rank.pe);
  if (rank.of_sums.size() <= 1) return call;
  call.sums.tiles = [sums = rank.sums](std::int64_t i, std::int64_t j) { return sums.tile(i, j); };
  call.sums.add = step > rank.of_sums.begin;
  call.sums.keep = step + 1 < rank.of_sums.end;
  if (call.sums.keep) call.problem.epilogues = per_k_tile(call.problem.epilogues);
  return call;
}

/// What comes to the PE for the next step: it is loaded while this one is multiplied, or received.
Task<Picoseconds> start_next(KernelPe pe, const Rank* rank, Moving* moving, std::int64_t step) {
  const bool there = step < rank->grid.steps() && any(rank->grid.piece(moving->what, rank->pe, step));
  moving->loads = there && !rank->grid.comes(moving->what, rank->pe, step);
  if (moving->loads) moving->loading = co_await load(pe, rank, moving->what, step, moving->next);
  co_return Picoseconds{};
}

Task<Picoseconds> take_next(KernelPe pe, const Rank* rank, Moving* moving, std::int64_t step) {
  const MatrixLayout piece = rank->grid.piece(moving->what, rank->pe, step);
  if (moving->loads) {
    co_await pe.wait(moving->loading);
  } else if (any(piece)) {
    co_await pe.recv(piece.at(kOwnTcm, moving->next.base), rank->grid.before(moving->what, rank->pe));
  }
  moving->now = Operand{piece.at(kOwnTcm, moving->next.base)};
  co_return Picoseconds{};
}

using Operands = std::array<Moving, 2>;

/// Rooms for both operands, and for sums, where there are steps to add up.
void take_rooms(KernelPe pe, Rank& rank, Operands& operands) {
  for (Moving& moving : operands) {
    moving.here = pe.tcm(rank.grid.room(moving.what));
    moving.next = pe.tcm(rank.grid.room(moving.what));
  }
  const bool multiplies = !rank.gemm->c.tiles(rank.pe).empty();
  if (multiplies && rank.of_sums.size() > 1) rank.sums = pe.tcm(rank.grid.sums(rank.pe));
}

void give_back(KernelPe pe, const Rank& rank, const Operands& operands) {
  for (const Moving& moving : operands) {
    pe.release(moving.here);
    pe.release(moving.next);
  }
  if (any(rank.sums)) pe.release(rank.sums);
}

/// Brings what step `step` multiplies.
Task<Picoseconds> bring(KernelPe pe, const Rank* rank, Operands* operands, std::int64_t step) {
  for (Moving& moving : *operands) co_await start_next(pe, rank, &moving, step);
  if (step == rank->grid.steps()) co_return Picoseconds{};
  for (Moving& moving : *operands) co_await take_next(pe, rank, &moving, step);
  co_return Picoseconds{};
}

/// Passes an operand on to whom it goes.
Task<Pending> pass_on(KernelPe pe, const Rank* rank, Moving* moving, std::int64_t step) {
  std::swap(moving->here, moving->next);
  if (!any(moving->now.matrix) || !rank->grid.goes(moving->what, rank->pe, step)) co_return Pending::nothing();
  co_return co_await pe.send(moving->now.matrix, rank->grid.next(moving->what, rank->pe));
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  Rank rank(*gemm, pe.machine().pe, pe.rank());
  Operands operands{Moving{Moves::kA}, Moving{Moves::kB}};
  take_rooms(pe, rank, operands);
  co_await bring(pe, &rank, &operands, 0);
  Pending multiplied = Pending::nothing();
  for (std::int64_t step = 0; step < rank.grid.steps(); ++step) {
    const Pending a = co_await pass_on(pe, &rank, operands.data(), step);
    const Pending b = co_await pass_on(pe, &rank, &operands[1], step);
    Pending multiplying = Pending::nothing();
    if (any(operands[0].now.matrix) && any(operands[1].now.matrix)) {
      multiplying = co_await pe.composite(call_of(rank, step), operands[0].now, operands[1].now);
    }
    // What comes takes the place of what the step before has multiplied and sent.
    for (const Moving& moving : operands) co_await pe.wait(moving.sent);
    co_await pe.wait(multiplied);
    co_await bring(pe, &rank, &operands, step + 1);
    operands[0].sent = a;
    operands[1].sent = b;
    multiplied = multiplying;
  }
  for (const Moving& moving : operands) co_await pe.wait(moving.sent);
  co_await pe.wait(multiplied);
  give_back(pe, rank, operands);
}

void check(const PlacedGemm& gemm) {
  if (gemm.c.policy() != kBlocks) throw ConfigError("variant grid_shift: expected --place c=blocks");
  if (gemm.problem.has_partials()) {
    throw ConfigError(
        "variant grid_shift: an epilogue of every K tile is none of a part of K; expected epilogues of "
        "outputs");
  }
}

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  const Grid grid = grid_of(gemm, machine.pe);
  MultiPeWork work(gemm.pes);
  work.takes_tcm(grid.tcm(machine.pe));
  for (int pe = 0; pe < gemm.pes; ++pe) {
    for (const Moves what : {Moves::kA, Moves::kB}) {
      for (std::int64_t step = 0; step < grid.steps(); ++step) {
        const MatrixLayout piece = grid.piece(what, pe, step);
        if (!any(piece)) continue;
        if (!grid.comes(what, pe, step)) work.reads(pe, grid.matrix(what), grid.tiles(what, pe, step), 1);
        if (grid.goes(what, pe, step)) work.sends(pe, grid.next(what, pe), piece);
      }
    }
    const MatrixLayout& c = gemm.c.part(pe);
    if (!any(c)) continue;
    const GemmProblem& problem = gemm.problem;
    const Rect columns{{0, gemm.b.shape().row_tiles()}, gemm.c.tiles(pe).columns};
    work.multiplies(pe, array_work(machine.pe, {c.rows, problem.k, c.columns}, false, problem.dtype),
                    conversion_cycles(gemm.b.piece(columns), c.row_tiles(), problem.dtype, machine.pe.vector));
    work.writes(pe, c.element_bytes());
  }
  return work;
}

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "grid_shift",
     .summary = "parts of A go round the rows of a grid of PEs, parts of B round its columns, and C stays (Cannon)",
     .placements = {{kBlocks, kBlocks, kBlocks}},
     .queues = 2,
     .check = check,
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
