// ring_shift: the parts of one operand go round a ring of PEs while each multiplies the one it has with its part of the
// other, which stays: A and C by rows, and B's parts go round, or B and C by columns, and A's do.
#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

namespace {

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;

/// Which operand is which, and who takes part.
struct Ring {
  explicit Ring(const PlacedGemm& gemm)
      : a_stays(gemm.c.policy() == kRows),
        stays(a_stays ? gemm.a : gemm.b),
        goes(a_stays ? gemm.b : gemm.a),
        size(std::max(stays.parts(), goes.parts())) {}
  bool a_stays;
  const PlacedMatrix& stays;
  const PlacedMatrix& goes;
  int size;  ///< PEs that have a part of either

  [[nodiscard]] int owner(int pe, int step) const { return (pe + step) % size; }
  /// The first tile of C's part that the part of `owner` is multiplied into, down or across.
  [[nodiscard]] std::int64_t first(int owner) const {
    return a_stays ? goes.tiles(owner).columns.begin : goes.tiles(owner).rows.begin;
  }
};

/// Two parts of what goes round.
Bytes rooms(const Ring& ring) { return 2 * ring.goes.part(0).room(); }

/// What a composite of what stays with a part of what goes round needs besides these.
Bytes tcm_of_step(const PlacedGemm& gemm, const MachineSpec& machine, const Ring& ring, int pe, bool loaded) {
  const MatrixLayout part = ring.goes.part(0).at(kOwnTcm, 0);
  const MatrixLayout mine = ring.stays.part(pe).at(loaded ? kOwnTcm : kOwnPartition, 0);
  GemmMatrices matrices;
  matrices.a = ring.a_stays ? mine : part;
  matrices.b = ring.a_stays ? part : mine;
  matrices.c.dtype = gemm.problem.result();
  return tcm_bytes_needed(gemm.problem, matrices, machine.pe) - part.room();
}

bool loads_what_stays(const PlacedGemm& gemm, const MachineSpec& machine, const Ring& ring, int pe) {
  return rooms(ring) + tcm_of_step(gemm, machine, ring, pe, true) <= gemm.tcm;
}

/// What stays in PE `rank` times the part of `owner`, into those columns or rows of the PE's C that belong to it.
GemmCall call_of(const PlacedGemm& gemm, const Ring& ring, int rank, int owner) {
  GemmCall call{gemm.problem};
  const MatrixLayout c = gemm.c.part(rank);
  call.problem.m = ring.a_stays ? c.rows : ring.goes.part(owner).rows;
  call.problem.n = ring.a_stays ? ring.goes.part(owner).columns : c.columns;
  call.matrices.c = c;
  call.matrices.c.rows = call.problem.m;
  call.matrices.c.columns = call.problem.n;
  const std::int64_t down = ring.a_stays ? 0 : ring.first(owner);
  const std::int64_t across = ring.a_stays ? ring.first(owner) : 0;
  call.matrices.c_tiles = [=](std::int64_t i, std::int64_t j) { return c.tile(down + i, across + j); };
  return call;
}

/// The TCM that a PE took: two parts of what goes round, and what stays where it was loaded.
void give_back(KernelPe pe, const MatrixLayout& here, const MatrixLayout& next, const Operand& stays) {
  pe.release(here);
  pe.release(next);
  if (stays.resident() && stays.matrix.rows > 0) pe.release(stays);
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const Ring ring(*gemm);
  const std::int32_t rank = pe.rank();
  if (rank >= ring.size) co_return;
  const MatrixLayout mine = ring.stays.part(rank);
  MatrixLayout here = pe.tcm(ring.goes.part(0));  // the first part is the largest
  MatrixLayout next = pe.tcm(ring.goes.part(0));
  const bool multiplies = mine.rows > 0 && mine.columns > 0;
  const bool loads = loads_what_stays(*gemm, pe.machine(), ring, rank);
  Operand stays;
  if (multiplies && loads) stays = co_await pe.load(mine);
  if (multiplies && !loads) stays = co_await pe.ref(mine);
  if (!ring.goes.tiles(rank).empty()) {
    co_await pe.wait(co_await pe.load(ring.goes.part(rank), ring.goes.part(rank).at(kOwnTcm, here.base)));
  }
  if (multiplies) {
    co_await pe.wait(stays);
  } else {
    co_await pe.wait(Pending::nothing());
  }
  for (int step = 0; step < ring.size; ++step) {
    const int owner = ring.owner(rank, step);
    const MatrixLayout part = ring.goes.part(owner).at(kOwnTcm, here.base);
    const bool empty = ring.goes.tiles(owner).empty();
    const int following = ring.owner(rank, step + 1);
    const bool goes_on = step + 1 < ring.size;
    Pending sent = Pending::nothing();
    Pending multiplied = Pending::nothing();
    if (goes_on && !empty) sent = co_await pe.send(part, ring.owner(rank, ring.size - 1));
    if (multiplies && !empty) {
      const Operand moves{part};
      multiplied = co_await pe.composite(call_of(*gemm, ring, rank, owner), ring.a_stays ? stays : moves,
                                         ring.a_stays ? moves : stays);
    }
    if (goes_on && !ring.goes.tiles(following).empty()) {
      co_await pe.recv(ring.goes.part(following).at(kOwnTcm, next.base), ring.owner(rank, 1));
    }
    co_await pe.wait(sent);
    co_await pe.wait(multiplied);
    std::swap(here, next);
  }
  give_back(pe, here, next, stays);
}

void check(const PlacedGemm& gemm) {
  const PlacementPolicy c = gemm.c.policy();
  if (gemm.a.policy() == kRows && gemm.b.policy() == kColumns && (c == kRows || c == kColumns)) return;
  throw ConfigError("variant ring_shift: expected --place a=rows,b=columns,c=rows or a=rows,b=columns,c=columns");
}

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  const Ring ring(gemm);
  MultiPeWork work(gemm.pes);
  for (int pe = 0; pe < ring.size; ++pe) {
    const MatrixLayout& mine = ring.stays.part(pe);
    const MatrixLayout& all = ring.goes.shape();
    const bool multiplies = !ring.stays.tiles(pe).empty();
    const bool loads = loads_what_stays(gemm, machine, ring, pe);
    const std::int64_t steps = ring.a_stays ? all.column_tiles() : all.row_tiles();
    work.reads(pe, pe, mine.element_bytes(), loads ? 1 : steps);
    work.reads(pe, pe, ring.goes.part(pe).element_bytes());
    for (int step = 0; step + 1 < ring.size; ++step) {
      work.sends(pe, ring.owner(pe, ring.size - 1), ring.goes.part(ring.owner(pe, step)));
    }
    work.takes_tcm(rooms(ring) + (multiplies ? tcm_of_step(gemm, machine, ring, pe, loads) : 0));
    if (!multiplies) continue;
    const TileShape product =
        ring.a_stays ? TileShape{mine.rows, mine.columns, all.columns} : TileShape{all.rows, mine.rows, mine.columns};
    const GemmProblem& problem = gemm.problem;
    const MatrixLayout& b = ring.a_stays ? all : mine;
    work.multiplies(pe, array_work(machine.pe, product, problem.has_partials(), problem.dtype),
                    conversion_cycles(b, ceil_div(product.m, machine.pe.mac.tile.m), problem.dtype, machine.pe.vector));
    work.writes(pe, gemm.c.part(pe).element_bytes());
  }
  return work;
}

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "ring_shift",
     .summary = "parts of A or of B go round a ring of PEs in messages, the other operand and C stay",
     .placements = {{kRows, kColumns, kRows}, {kRows, kColumns, kColumns}},
     .queues = 1,
     .check = check,
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
