// grid_shift: Cannon's algorithm on a grid of PEs. Each multiplies its block of C; parts of A's rows go round the rows
// of the grid, parts of B's columns round its columns, and what comes from no neighbour is loaded.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/kernels/pe_grid.hpp"

namespace kernbench {

namespace {

constexpr auto kBlocks = PlacementPolicy::kBlocks;

/// As few parts of C, and of these as few pieces of K, as fit, with room for what is multiplied and what comes.
std::vector<GridCut> cuts(const PlacedGemm& gemm, const MachineSpec& machine) {
  const GridCut whole{.parts = std::max(gemm.c.grid_rows(), gemm.c.grid_columns()), .rooms = 2};
  const PeGrid grid(gemm, whole);
  std::vector<GridCut> all;
  for (const std::int64_t passes : grid.ways_to_cut_c()) {
    for (const std::int64_t pieces : counts_of_pieces(grid.k_tiles({}).size())) {
      all.push_back(whole);
      all.back().passes = passes;
      all.back().pieces = pieces;
    }
  }
  return PeGrid::fitting(gemm, machine.pe, std::move(all));
}

/// What each PE does when.
class Schedule {
 public:
  explicit Schedule(const PlacedGemm& gemm) : grid_(gemm) {}

  [[nodiscard]] const PeGrid& grid() const { return grid_; }
  [[nodiscard]] GridStep at(int pe, std::int64_t step) const {
    const std::int64_t columns = grid_.columns();
    const std::int64_t parts = grid_.cut().parts;
    const std::int64_t number = step % grid_.cut().steps_of_pass();
    return {.pass = step / grid_.cut().steps_of_pass(),
            .part = (pe / columns + pe % columns + number) % parts,
            .piece = number / parts};
  }
  [[nodiscard]] MatrixLayout piece(Shared what, int pe, std::int64_t step) const {
    return grid_.piece(what, pe, at(pe, step));
  }
  /// Where it goes when it has been multiplied, and where the next one comes from.
  [[nodiscard]] int next(Shared what, int pe) const { return neighbour(what, pe, -1); }
  [[nodiscard]] int before(Shared what, int pe) const { return neighbour(what, pe, 1); }
  /// Whether what a PE needs in a step is what `before` has multiplied in the step before it.
  [[nodiscard]] bool comes(Shared what, int pe, std::int64_t step) const {
    return step > 0 && step < grid_.steps() && before(what, pe) != pe && at(pe, step) == at(before(what, pe), step - 1);
  }
  /// Whether `next` needs what a PE multiplies in this step.
  [[nodiscard]] bool goes(Shared what, int pe, std::int64_t step) const {
    return comes(what, next(what, pe), step + 1);
  }
  /// The steps of a pass with something to multiply, from the first to the last.
  [[nodiscard]] Interval of_sums(int pe) const {
    Interval all{grid_.cut().steps_of_pass(), 0};
    for (std::int64_t step = 0; step < grid_.cut().steps_of_pass(); ++step) {
      if (!grid_.k_tiles(at(pe, step)).empty()) all = {std::min(all.begin, step), step + 1};
    }
    return all;
  }

 private:
  [[nodiscard]] int neighbour(Shared what, int pe, std::int64_t by) const {
    const std::int64_t columns = grid_.columns();
    const std::int64_t row = pe / columns;
    const std::int64_t column = pe % columns;
    return static_cast<int>(what == Shared::kA ? row * columns + (column + columns + by) % columns
                                               : (row + grid_.rows() + by) % grid_.rows() * columns + column);
  }

  PeGrid grid_;
};

/// One operand on its way through a PE.
struct Moving {
  Shared what = Shared::kA;
  MatrixLayout here{};  ///< rooms in TCM
  MatrixLayout next{};
  Operand now{};     ///< what is multiplied
  Operand coming{};  ///< for the next step
  Pending sent = Pending::nothing();
};

struct Rank {
  Rank(const PlacedGemm& gemm, int number) : schedule(gemm), pe(number), of_sums(schedule.of_sums(number)) {}
  Schedule schedule;
  int pe;
  Interval of_sums;  ///< steps
  MatrixLayout sums{};
};

/// What a PE multiplies in a step begins to come: it is loaded, or received.
Task<Picoseconds> fetch(KernelPe pe, const Rank* rank, Moving* moving, std::int64_t step) {
  const Schedule& schedule = rank->schedule;
  const MatrixLayout piece = schedule.piece(moving->what, rank->pe, step).at(kOwnTcm, moving->next.base);
  if (!any(piece)) {
    moving->coming = Operand{piece};
  } else if (schedule.comes(moving->what, rank->pe, step)) {
    moving->coming = co_await pe.irecv(piece, schedule.before(moving->what, rank->pe));
  } else {
    moving->coming = co_await load_piece(pe, &schedule.grid(), moving->what, schedule.at(rank->pe, step), moving->next);
  }
  co_return Picoseconds{};
}

using Operands = std::array<Moving, 2>;

/// Rooms for both operands, and for sums, where there are steps to add up.
void take_rooms(KernelPe pe, Rank& rank, Operands& operands) {
  const PeGrid& grid = rank.schedule.grid();
  for (Moving& moving : operands) {
    moving.here = pe.tcm(grid.room(moving.what));
    moving.next = pe.tcm(grid.room(moving.what));
  }
  if (grid.has_part(rank.pe) && rank.of_sums.size() > 1) rank.sums = pe.tcm(grid.sums(rank.pe, 0));
}

void give_back(KernelPe pe, const Rank& rank, const Operands& operands) {
  for (const Moving& moving : operands) {
    pe.release(moving.here);
    pe.release(moving.next);
  }
  if (any(rank.sums)) pe.release(rank.sums);
}

/// Brings what a step multiplies.
Task<Picoseconds> bring(KernelPe pe, const Rank* rank, Operands* operands, std::int64_t step) {
  if (step == rank->schedule.grid().steps()) co_return Picoseconds{};
  for (Moving& moving : *operands) co_await fetch(pe, rank, &moving, step);
  for (Moving& moving : *operands) {
    if (any(moving.coming.matrix)) co_await pe.wait(moving.coming);
    moving.now = moving.coming;
  }
  co_return Picoseconds{};
}

/// Passes an operand on to whom it goes.
Task<Pending> pass_on(KernelPe pe, const Rank* rank, Moving* moving, std::int64_t step) {
  std::swap(moving->here, moving->next);
  if (!any(moving->now.matrix) || !rank->schedule.goes(moving->what, rank->pe, step)) co_return Pending::nothing();
  co_return co_await pe.send(moving->now.matrix, rank->schedule.next(moving->what, rank->pe));
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  Rank rank(*gemm, pe.rank());
  Operands operands{Moving{Shared::kA}, Moving{Shared::kB}};
  take_rooms(pe, rank, operands);
  co_await bring(pe, &rank, &operands, 0);
  Pending multiplied = Pending::nothing();
  for (std::int64_t step = 0; step < rank.schedule.grid().steps(); ++step) {
    const Pending a = co_await pass_on(pe, &rank, operands.data(), step);
    const Pending b = co_await pass_on(pe, &rank, &operands[1], step);
    Pending multiplying = Pending::nothing();
    if (any(operands[0].now.matrix) && any(operands[1].now.matrix)) {
      const std::int64_t of_pass = rank.schedule.grid().cut().steps_of_pass();
      const GemmCall call =
          product_of_step(rank.schedule.grid(), rank.pe, step / of_pass, rank.of_sums, step % of_pass, rank.sums);
      multiplying = co_await pe.composite(call, operands[0].now, operands[1].now);
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

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  const Schedule schedule(gemm);
  const PeGrid& grid = schedule.grid();
  MultiPeWork work(gemm.pes);
  work.takes_tcm(grid.tcm(machine.pe));
  for (int pe = 0; pe < gemm.pes; ++pe) {
    for (const Shared what : {Shared::kA, Shared::kB}) {
      for (std::int64_t step = 0; step < grid.steps(); ++step) {
        const MatrixLayout piece = schedule.piece(what, pe, step);
        if (!any(piece)) continue;
        const Rect tiles = grid.tiles(what, pe, schedule.at(pe, step));
        if (!schedule.comes(what, pe, step)) work.reads(pe, grid.matrix(what), tiles, 1);
        if (schedule.goes(what, pe, step)) work.sends(pe, schedule.next(what, pe), piece);
      }
    }
    grid.add_products(pe, machine.pe, work);
  }
  return work;
}

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "grid_shift",
     .summary = "parts of A go round the rows of a grid of PEs, parts of B round its columns, and C stays (Cannon)",
     .placements = {{kBlocks, kBlocks, kBlocks}},
     .queues = 2,
     .check = [](const PlacedGemm& gemm) { PeGrid::check(gemm, "grid_shift"); },
     .cuts = cuts,
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
