// ring_shift: A and C by rows, B by columns; the parts of B go round a ring of PEs while each multiplies the one it
// has.
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {

namespace {

Process run(KernelPe pe, GemmOverCall gemm) {
  const std::int32_t size = pe.size();
  const MatrixLayout mine = gemm->a.part(pe.rank());
  const auto part_of = [&gemm](std::int32_t rank) { return gemm->b.part(rank); };
  MatrixLayout here = pe.tcm(part_of(0));  // the first part is the largest
  MatrixLayout next = pe.tcm(part_of(0));
  const PeSpec& spec = pe.machine().pe;
  const Bytes outputs = spec.output_depth * spec.mac.tile.m * spec.mac.tile.n * kElementBytes;
  const bool fits = mine.footprint() <= pe.tcm_left() - outputs;
  Operand a;
  if (mine.rows > 0 && fits) a = co_await pe.load(mine);
  if (mine.rows > 0 && !fits) a = co_await pe.ref(mine);
  if (part_of(pe.rank()).columns > 0) {
    co_await pe.wait(co_await pe.load(part_of(pe.rank()), part_of(pe.rank()).at(kOwnTcm, here.base)));
  }
  if (mine.rows > 0) {
    co_await pe.wait(a);
  } else {
    co_await pe.wait(Pending::nothing());
  }
  for (std::int32_t step = 0; step < size; ++step) {
    const std::int32_t owner = (pe.rank() + step) % size;
    const MatrixLayout b = part_of(owner).at(kOwnTcm, here.base);
    const MatrixLayout following = part_of((owner + 1) % size).at(kOwnTcm, next.base);
    const bool goes_on = step + 1 < size;
    Pending sent = Pending::nothing();
    Pending multiplied = Pending::nothing();
    if (goes_on && b.columns > 0) sent = co_await pe.send(b, (pe.rank() + size - 1) % size);
    if (mine.rows > 0 && b.columns > 0) {
      GemmCall call{gemm->problem};
      call.matrices.c = gemm->c.part(pe.rank());
      call.problem.m = mine.rows;
      call.problem.n = b.columns;
      const std::int64_t first = gemm->b.tiles(owner).columns.begin;
      call.matrices.c_tiles = [c = call.matrices.c, first](std::int64_t i, std::int64_t j) {
        return c.tile(i, first + j);
      };
      call.matrices.c.columns = b.columns;
      multiplied = co_await pe.composite(call, a, b);
    }
    if (goes_on && following.columns > 0) co_await pe.recv(following, (pe.rank() + 1) % size);
    co_await pe.wait(sent);
    co_await pe.wait(multiplied);
    std::swap(here, next);
  }
}

void check(const PlacedGemm& gemm, int /*pes*/) {
  if (gemm.a.policy() == PlacementPolicy::kRows && gemm.b.policy() == PlacementPolicy::kColumns &&
      gemm.c.policy() == PlacementPolicy::kRows) {
    return;
  }
  throw ConfigError("variant ring_shift: expected --place a=rows,b=columns,c=rows");
}

std::vector<PeWork> work(const PlacedGemm& gemm, int pes) {
  std::vector<PeWork> work(static_cast<std::size_t>(pes));
  for (int pe = 0; pe < pes; ++pe) {
    PeWork& own = work[static_cast<std::size_t>(pe)];
    const auto next = gemm.b.part((pe + 1) % pes).element_bytes();
    own.tiles = gemm.a.part(pe).row_tiles() * gemm.b.shape().column_tiles() * gemm.a.shape().column_tiles();
    own.read = own.given = gemm.a.part(pe).element_bytes() + gemm.b.part(pe).element_bytes();
    own.sent = gemm.b.shape().element_bytes() - next;
    own.received = gemm.b.shape().element_bytes() - gemm.b.part(pe).element_bytes();
  }
  return work;
}

const RegisterGemmOverKernel kRegistered({"ring_shift",
                                          "the parts of B go round a ring of PEs in messages, A and C stay",
                                          {PlacementPolicy::kRows, PlacementPolicy::kColumns, PlacementPolicy::kRows},
                                          false,
                                          check,
                                          work,
                                          run});

}  // namespace

}  // namespace kernbench
