// split_k: each PE multiplies its part of K; the products are added up round a ring, and each PE ends with a part of C.
#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

namespace {

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const std::int32_t size = gemm->a.parts();  // that have a part of K
  const std::int32_t rank = pe.rank();
  if (rank >= size) co_return;
  const MatrixLayout rows = gemm->a.part(rank);
  const MatrixLayout columns = gemm->b.part(rank);
  const LoadedFirst first = loaded_first(gemm->problem, rows, columns, pe.machine().pe, gemm->tcm);
  Operand a;
  Operand b;
  if (first == LoadedFirst::kA) a = co_await pe.load(rows);
  if (first != LoadedFirst::kA) a = co_await pe.ref(rows);
  if (first == LoadedFirst::kB) b = co_await pe.load(columns);
  if (first != LoadedFirst::kB) b = co_await pe.ref(columns);
  if (first != LoadedFirst::kNone) co_await pe.wait(first == LoadedFirst::kA ? a : b);
  GemmCall call{gemm->problem};
  call.problem.k = rows.columns;
  call.matrices.c = gemm->c.shape();
  call.matrices.c_tiles = [gemm, rank](std::int64_t i, std::int64_t j) {
    const int owner = gemm->c.owner(i, j, 0);
    const Rect has = gemm->c.tiles(owner);
    return gemm->product(owner, rank).tile(i - has.rows.begin, j - has.columns.begin);
  };
  co_await pe.wait(co_await pe.composite(call, a, b));
  for (std::int32_t step = 0; step + 1 < size; ++step) {
    const MatrixLayout goes = gemm->product((rank + 2 * size - 1 - step) % size, rank);
    const MatrixLayout comes = gemm->product((rank + 2 * size - 2 - step) % size, rank);
    Pending sent = Pending::nothing();
    if (goes.rows > 0) sent = co_await pe.send(goes, (rank + 1) % size);
    if (comes.rows > 0) co_await pe.recv_add(comes, (rank + size - 1) % size);
    co_await pe.wait(sent);
  }
  if (first != LoadedFirst::kNone) pe.release(first == LoadedFirst::kA ? a : b);
}

void check(const PlacedGemm& gemm) {
  const PlacementPolicy c = gemm.c.policy();
  if (gemm.a.policy() != kColumns || gemm.b.policy() != kRows || (c != kRows && c != kColumns)) {
    throw ConfigError("variant split_k: expected --place a=columns,b=rows,c=rows or a=columns,b=rows,c=columns");
  }
  if (!gemm.problem.epilogues.empty()) {
    throw ConfigError("variant split_k: an epilogue needs whole sums; expected none");
  }
}

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  const int size = gemm.a.parts();
  MultiPeWork work(gemm.pes);
  for (int pe = 0; pe < size; ++pe) {
    add_product(gemm, pe, gemm.a.tiles(pe), gemm.b.tiles(pe), machine.pe, work);
    for (int step = 0; step + 1 < size; ++step) {  // each piece is read to be sent, and what comes is added in HBM
      const MatrixLayout& goes = gemm.c.part((pe + 2 * size - 1 - step) % size);
      const Bytes comes = gemm.c.part((pe + 2 * size - 2 - step) % size).footprint();
      work.reads(pe, pe, goes.footprint());
      work.reads(pe, pe, comes);
      work.writes(pe, comes);
      work.sends(pe, (pe + 1) % size, goes);
    }
  }
  return work;
}

MatrixElement reference(const PlacedGemm& gemm) {
  const int size = gemm.a.parts();
  std::vector<GemmReference> products;
  for (int pe = 0; pe < size; ++pe) {
    const Interval has = gemm.a.tiles(pe).columns;
    const std::int64_t tile = gemm.a.shape().tile_columns;
    products.emplace_back(gemm.problem, Interval{has.begin * tile, std::min(gemm.problem.k, has.end * tile)});
  }
  return added_round_ring(std::move(products), gemm.c);
}

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "split_k",
     .summary = "each PE multiplies its part of K, the products are added up round a ring",
     .placements = {{kColumns, kRows, kRows}, {kColumns, kRows, kColumns}},
     .products = true,
     .queues = 1,
     .check = check,
     .work = work,
     .run = run,
     .reference = reference});

}  // namespace

}  // namespace kernbench
