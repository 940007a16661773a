// grid_multicast: a grid of PEs, each of which multiplies its block of C. One PE of each row loads the pieces of A that
// the row needs and sends them to all others of it, one of each column those of B (SUMMA).
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "sim/kernels/pe_grid.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/register_blocks.hpp"

namespace kernbench {

namespace {

constexpr auto kBlocks = PlacementPolicy::kBlocks;

/// For the operands of all steps, where PE 0's C is done in so many parts.
Picoseconds time_to_bring(const PlacedGemm& gemm, std::int64_t passes, const MachineSpec& machine) {
  const PeGrid grid(gemm, {.passes = passes});
  Bytes all = 0;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    all += grid.piece(Shared::kA, 0, {pass}).element_bytes() + grid.piece(Shared::kB, 0, {pass}).element_bytes();
  }
  return into_tcm(machine).time_for(all);
}

/// PE 0's array, by its MACs alone, the fetch of its operands, or the store of sums and C, whichever takes longest.
Picoseconds work_of_pe(const PlacedGemm& gemm, std::int64_t pieces, const PeSpec& pe) {
  const MatrixLayout& c = gemm.c.part(0);
  const auto [k, dtype, of_b] = std::tuple(gemm.problem.k, gemm.problem.dtype, gemm.problem.stored_b());
  const TileShape& tile = pe.mac.tile;
  const FetchedLines lines = fetched_lines(
      pe.mac.register_block, {c.rows, tile.m, c.row_tiles()},
      {bytes_of_row(c.columns, tile.n, of_b), bytes_of(tile.n, of_b), c.column_tiles()}, true, of_b == dtype);
  const Bytes fetched = lines.rows * bytes_of_row(k, tile.k, dtype) + lines.columns * k;
  const Cycles cycles =
      ceil_mul_div(c.rows * k * c.columns, MacRates::kOne, pe.mac.peak_macs() * pe.mac.rates.of(dtype));
  const Bytes sums = bytes_of(c.rows * c.columns, accumulator_of(dtype));
  const std::int64_t accumulated = pe.store_accumulates() ? std::max<std::int64_t>(0, pieces - 2) : 0;
  const Picoseconds stored = pe.store.time_for(c.element_bytes() + (pieces - 1 - accumulated) * sums) +
                             (accumulated > 0 ? pe.accumulate.time_for(accumulated * sums) : Picoseconds{});
  return std::max({pe.clock.time_for(cycles), pe.fetch.time_for(fetched), stored});
}

/// What tells cuts apart: what is brought, where that takes longer than the work; sums that each piece of K fetches;
/// latencies; and the first piece, which is loaded and sent on before anything is multiplied. With two rooms the port
/// rests while a piece is sent on that has been loaded.
Picoseconds estimate(const PeGrid& grid, Picoseconds brought, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  const Bytes first = grid.room(Shared::kA).element_bytes() + grid.room(Shared::kB).element_bytes();
  const Bytes kept = grid.cut().pieces > 1 ? grid.sums(0, 0).element_bytes() : 0;
  const Picoseconds latency = pe.dma.setup + machine.die.hbm.read_latency + 6 * pe.control;
  const Picoseconds rests{grid.cut().rooms > 2 ? 0 : brought.value};
  const std::int64_t fetches_sums = pe.store_accumulates() ? grid.cut().passes : grid.steps();
  return std::max(brought + rests, work_of_pe(grid.gemm(), grid.cut().pieces, pe)) +
         fetches_sums * pe.fetch.time_for(kept) + grid.steps() * latency + 2 * into_tcm(machine).time_for(first);
}

/// For each operand room for what is multiplied, what comes for the next step and what for the one behind it, or
/// without the latter; the least estimate first.
std::vector<GridCut> cuts(const PlacedGemm& gemm, const MachineSpec& machine) {
  std::vector<GridCut> all;
  for (const std::int64_t passes : PeGrid(gemm, {}).ways_to_cut_c()) {
    for (const std::int64_t rooms : {3, 2}) {
      for (const std::int64_t pieces : counts_of_pieces(gemm.a.shape().column_tiles())) {
        all.push_back({.passes = passes, .pieces = pieces, .rooms = rooms});
      }
    }
  }
  all = PeGrid::fitting(gemm, machine.pe, std::move(all));
  std::map<std::int64_t, Picoseconds> brought;  // by passes
  for (GridCut& cut : all) {
    if (!brought.contains(cut.passes)) brought[cut.passes] = time_to_bring(gemm, cut.passes, machine);
    cut.estimate = estimate(PeGrid(gemm, cut), brought.at(cut.passes), machine);
  }
  std::ranges::stable_sort(all, {}, &GridCut::estimate);
  return all;
}

/// Who sends which operand to whom.
class Sharers {
 public:
  explicit Sharers(const PlacedGemm& gemm) : grid_(gemm) {}

  [[nodiscard]] const PeGrid& grid() const { return grid_; }
  [[nodiscard]] GridStep at(std::int64_t step) const {
    const std::int64_t pieces = grid_.cut().pieces;
    return {.pass = step / pieces, .piece = step % pieces};
  }
  [[nodiscard]] MatrixLayout piece(Shared what, int pe, std::int64_t step) const {
    return grid_.piece(what, pe, at(step));
  }
  /// Of the PEs of a row or column that have a part of C, in their order. The sender of A moves on by one PE from row
  /// to row; that of B is one further, so that they are not the same.
  [[nodiscard]] MulticastGroup group(Shared what, int pe) const {
    std::vector<std::int32_t> line;
    for (int other = 0; other < grid_.gemm().pes; ++other) {
      if (number_of_line(what, other) == number_of_line(what, pe) && grid_.has_part(other)) line.push_back(other);
    }
    const std::int64_t number = number_of_line(what, pe) + (what == Shared::kB ? 1 : 0);
    const auto from = line.begin() + number % std::ssize(line);
    MulticastGroup group{.from = *from, .channel = what == Shared::kA ? 0 : 1};
    line.erase(from);
    group.to = std::move(line);
    return group;
  }

 private:
  [[nodiscard]] std::int64_t number_of_line(Shared what, int pe) const {
    return what == Shared::kA ? pe / grid_.columns() : pe % grid_.columns();
  }

  PeGrid grid_;
};

/// One operand in a PE.
struct Taken {
  Taken(const Sharers& sharers, Shared the_operand, int pe)
      : what(the_operand),
        group(sharers.group(what, pe)),
        sends(group.from == pe),
        rooms(static_cast<std::size_t>(sharers.grid().cut().rooms)),
        operands(rooms.size()),
        sent(rooms.size(), Pending::nothing()) {}

  Shared what;
  MulticastGroup group;
  bool sends;
  std::vector<MatrixLayout> rooms;
  std::vector<Operand> operands;  ///< by room: what is in it, or comes
  std::vector<Pending> sent;

  [[nodiscard]] std::size_t of(std::int64_t step) const { return static_cast<std::size_t>(step) % rooms.size(); }
};

struct Rank {
  Rank(const Sharers& the_sharers, int number)
      : sharers(&the_sharers),
        pe(number),
        operands{Taken(the_sharers, Shared::kA, number), Taken(the_sharers, Shared::kB, number)} {}
  const Sharers* sharers;
  int pe;
  std::array<Taken, 2> operands;
  MatrixLayout sums{};

  /// What it multiplies of an operand in a step; nothing in one that is none, or has none of its C.
  [[nodiscard]] MatrixLayout piece(Shared what, std::int64_t step) const {
    return step < sharers->grid().steps() ? sharers->piece(what, pe, step) : MatrixLayout{};
  }
};

/// What a step multiplies begins to come: it is loaded by those who send it, received by the others.
Task<Picoseconds> fetch(KernelPe pe, Rank* rank, std::int64_t step) {
  for (Taken& taken : rank->operands) {
    const MatrixLayout piece = rank->piece(taken.what, step);
    if (!any(piece)) continue;
    const MatrixLayout& room = taken.rooms[taken.of(step)];
    Operand& operand = taken.operands[taken.of(step)];
    if (taken.sends) {
      operand = co_await load_piece(pe, &rank->sharers->grid(), taken.what, rank->sharers->at(step), room);
    } else {
      operand = co_await pe.irecv(piece.at(kOwnTcm, room.base), taken.group);
    }
  }
  co_return Picoseconds{};
}

/// Those who load what a step multiplies send it on as soon as it is there.
Task<Picoseconds> pass_on(KernelPe pe, Rank* rank, std::int64_t step) {
  for (Taken& taken : rank->operands) {
    if (!taken.sends || !any(rank->piece(taken.what, step))) continue;
    const Operand& operand = taken.operands[taken.of(step)];
    co_await pe.wait(operand);
    if (!taken.group.to.empty()) taken.sent[taken.of(step)] = co_await pe.multicast(operand.matrix, taken.group);
  }
  co_return Picoseconds{};
}

/// The others wait for it.
Task<Picoseconds> receive(KernelPe pe, const Rank* rank, std::int64_t step) {
  for (const Taken& taken : rank->operands) {
    if (!taken.sends && any(rank->piece(taken.what, step))) co_await pe.wait(taken.operands[taken.of(step)]);
  }
  co_return Picoseconds{};
}

/// Starts a step's product, where there is one.
Task<Pending> multiply(KernelPe pe, const Rank* rank, std::int64_t step) {
  const auto& [a, b] = rank->operands;
  if (!any(rank->piece(a.what, step)) || !any(rank->piece(b.what, step))) co_return Pending::nothing();
  const PeGrid& grid = rank->sharers->grid();
  const GridStep at = rank->sharers->at(step);
  const GemmCall call = product_of_step(grid, rank->pe, at.pass, {0, grid.cut().pieces}, at.piece, rank->sums);
  co_return co_await pe.composite(call, a.operands[a.of(step)], b.operands[b.of(step)]);
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const Sharers sharers(*gemm);
  const PeGrid& grid = sharers.grid();
  if (!grid.has_part(pe.rank())) co_return;
  Rank rank(sharers, pe.rank());
  for (Taken& taken : rank.operands) {
    for (MatrixLayout& room : taken.rooms) room = pe.tcm(grid.room(taken.what));
  }
  if (grid.cut().pieces > 1) rank.sums = pe.tcm(grid.sums(rank.pe, 0));
  const std::int64_t ahead = grid.cut().rooms - 1;
  for (std::int64_t step = 0; step < ahead; ++step) co_await fetch(pe, &rank, step);
  co_await pass_on(pe, &rank, 0);
  co_await receive(pe, &rank, 0);
  Pending before = Pending::nothing();
  for (std::int64_t step = 0; step < grid.steps(); ++step) {
    const Pending multiplying = co_await multiply(pe, &rank, step);
    if (ahead > 1) co_await pass_on(pe, &rank, step + 1);  // it has come while the step before was multiplied
    // What comes now takes the place of what the step before has multiplied and sent.
    co_await pe.wait(before);
    for (Taken& taken : rank.operands) {
      co_await pe.wait(std::exchange(taken.sent[taken.of(step + ahead)], Pending::nothing()));
    }
    co_await fetch(pe, &rank, step + ahead);
    if (ahead == 1) co_await pass_on(pe, &rank, step + 1);
    co_await receive(pe, &rank, step + 1);
    before = multiplying;
  }
  co_await pe.wait(before);
  for (Taken& taken : rank.operands) {
    for (const Pending& sent : taken.sent) co_await pe.wait(sent);
    for (const MatrixLayout& room : taken.rooms) pe.release(room);
  }
  if (any(rank.sums)) pe.release(rank.sums);
}

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  const Sharers sharers(gemm);
  const PeGrid& grid = sharers.grid();
  MultiPeWork work(gemm.pes);
  work.takes_tcm(grid.tcm(machine.pe));
  for (int pe = 0; pe < gemm.pes; ++pe) {
    if (!grid.has_part(pe)) continue;
    for (const Shared what : {Shared::kA, Shared::kB}) {
      const MulticastGroup group = sharers.group(what, pe);
      if (group.from != pe) continue;
      for (std::int64_t step = 0; step < grid.steps(); ++step) {
        const MatrixLayout piece = sharers.piece(what, pe, step);
        if (!any(piece)) continue;
        work.reads(pe, grid.matrix(what), grid.tiles(what, pe, sharers.at(step)), 1);
        if (!group.to.empty()) work.multicasts(pe, group.to, piece);
      }
    }
    grid.add_products(pe, machine.pe, work);
  }
  return work;
}

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "grid_multicast",
     .summary = "one PE of each row of a grid sends A's rows to all of it, one of each column B's columns (SUMMA)",
     .placements = {{kBlocks, kBlocks, kBlocks}},
     .queues = 2,
     .check = [](const PlacedGemm& gemm) { PeGrid::check(gemm, "grid_multicast"); },
     .cuts = cuts,
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
