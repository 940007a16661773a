// grid_multicast: a grid of PEs, each of which multiplies its block of C. One PE of each row loads the pieces of A that
// the row needs and sends them to all others of it, one of each column those of B (SUMMA).
#include <array>
#include <utility>
#include <vector>

#include "sim/kernels/pe_grid.hpp"

namespace kernbench {

namespace {

constexpr auto kBlocks = PlacementPolicy::kBlocks;
// For each operand: for what is multiplied, what comes for the next step, and what is loaded for the one behind it;
// where there is not room for the latter, it is loaded when it is to come.
constexpr int kRooms = 3;
constexpr int kLeastRooms = 2;

PeGrid grid_of(const PlacedGemm& gemm, const PeSpec& pe) {
  const PeGrid grid(gemm, pe, kRooms);
  return grid.tcm(pe) <= gemm.tcm ? grid : PeGrid(gemm, pe, kLeastRooms);
}

/// Who sends which operand to whom.
class Sharers {
 public:
  Sharers(const PlacedGemm& gemm, const PeSpec& pe) : grid_(grid_of(gemm, pe)) {}

  [[nodiscard]] const PeGrid& grid() const { return grid_; }
  [[nodiscard]] KPart at(std::int64_t step) const { return {step % grid_.parts(), step / grid_.parts()}; }
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
        rooms(static_cast<std::size_t>(sharers.grid().rooms())),
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

  [[nodiscard]] bool has(std::int64_t step) const {
    return step < sharers->grid().steps() && any(sharers->piece(Shared::kA, pe, step));
  }
};

/// The senders start to load what a step multiplies.
Task<Picoseconds> load_ahead(KernelPe pe, Rank* rank, std::int64_t step) {
  if (!rank->has(step)) co_return Picoseconds{};
  const PeGrid* grid = &rank->sharers->grid();
  const KPart k = rank->sharers->at(step);
  for (Taken& taken : rank->operands) {
    if (taken.sends)
      taken.operands[taken.of(step)] = co_await load_piece(pe, grid, taken.what, k, taken.rooms[taken.of(step)]);
  }
  co_return Picoseconds{};
}

/// What a step multiplies is sent on by those who have loaded it, and received by the others.
Task<Picoseconds> bring(KernelPe pe, Rank* rank, std::int64_t step) {
  if (!rank->has(step)) co_return Picoseconds{};
  for (Taken& taken : rank->operands) {
    if (!taken.sends) continue;
    co_await pe.wait(taken.operands[taken.of(step)]);
    if (taken.group.to.empty()) continue;
    taken.sent[taken.of(step)] = co_await pe.multicast(taken.operands[taken.of(step)].matrix, taken.group);
  }
  for (Taken& taken : rank->operands) {
    if (taken.sends) continue;
    const MatrixLayout into =
        rank->sharers->piece(taken.what, rank->pe, step).at(kOwnTcm, taken.rooms[taken.of(step)].base);
    co_await pe.recv(into, taken.group);
    taken.operands[taken.of(step)] = Operand{into};
  }
  co_return Picoseconds{};
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const Sharers sharers(*gemm, pe.machine().pe);
  const PeGrid& grid = sharers.grid();
  if (!grid.has_part(pe.rank())) co_return;
  Rank rank(sharers, pe.rank());
  const Interval of_sums = grid.steps_of_sums([&](std::int64_t step) { return sharers.at(step); });
  for (Taken& taken : rank.operands) {
    for (MatrixLayout& room : taken.rooms) room = pe.tcm(grid.room(taken.what));
  }
  if (of_sums.size() > 1) rank.sums = pe.tcm(grid.sums(rank.pe));
  const std::int64_t ahead = grid.rooms() - 1;
  for (std::int64_t step = 0; step < ahead; ++step) co_await load_ahead(pe, &rank, step);
  co_await bring(pe, &rank, 0);
  Pending before = Pending::nothing();
  for (std::int64_t step = 0; step < grid.steps(); ++step) {
    Pending multiplying = Pending::nothing();
    if (rank.has(step)) {
      const GemmCall call = product_of_step(grid, rank.pe, of_sums, step, rank.sums);
      const std::size_t room = rank.operands[0].of(step);
      multiplying = co_await pe.composite(call, rank.operands[0].operands[room], rank.operands[1].operands[room]);
    }
    // What is loaded now takes the place of what the step before has multiplied and sent.
    co_await pe.wait(before);
    for (Taken& taken : rank.operands) {
      co_await pe.wait(std::exchange(taken.sent[taken.of(step + ahead)], Pending::nothing()));
    }
    co_await load_ahead(pe, &rank, step + ahead);
    co_await bring(pe, &rank, step + 1);
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
  const Sharers sharers(gemm, machine.pe);
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
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
