// owner_computes: each PE computes its part of C and reads the operands from whoever has them.
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

namespace {

/// What a PE multiplies: rows of tiles of A, columns of tiles of B.
struct Operands {
  Rect a;
  Rect b;
};

Operands operands_of(const PlacedGemm& gemm, int pe) {
  const Rect has = gemm.c.tiles(pe);
  const Interval k{0, gemm.a.shape().column_tiles()};
  return {{has.rows, k}, {k, has.columns}};
}

/// Brings some tiles of a matrix into TCM, or leaves them where they are.
Task<Operand> bring(KernelPe pe, const PlacedMatrix* matrix, Rect tiles, bool load) {
  const int rank = pe.rank();
  if (matrix->tiles(rank) == tiles) {
    if (load) co_return co_await pe.load(matrix->part(rank));
    co_return co_await pe.ref(matrix->part(rank));
  }
  const TileMap map = [=](std::int64_t i, std::int64_t j) {
    return matrix->tile(tiles.rows.begin + i, tiles.columns.begin + j, rank);
  };
  if (load) co_return co_await pe.load(matrix->piece(tiles), map);
  co_return co_await pe.ref(matrix->piece(tiles), map);
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  if (gemm->c.tiles(pe.rank()).empty()) co_return;
  const Operands has = operands_of(*gemm, pe.rank());
  const LoadedFirst first =
      loaded_first(gemm->problem, gemm->a.piece(has.a), gemm->b.piece(has.b), pe.machine().pe, gemm->tcm);
  const Operand a = co_await bring(pe, &gemm->a, has.a, first == LoadedFirst::kA);
  const Operand b = co_await bring(pe, &gemm->b, has.b, first == LoadedFirst::kB);
  if (first != LoadedFirst::kNone) co_await pe.wait(first == LoadedFirst::kA ? a : b);
  GemmCall call{gemm->problem};
  call.matrices.c = gemm->c.part(pe.rank());
  call.problem.m = a.matrix.rows;
  call.problem.n = b.matrix.columns;
  co_await pe.wait(co_await pe.composite(call, a, b));
  if (first != LoadedFirst::kNone) pe.release(first == LoadedFirst::kA ? a : b);
}

MultiPeWork work(const PlacedGemm& gemm, const MachineSpec& machine) {
  MultiPeWork work(gemm.pes);
  for (int rank = 0; rank < gemm.pes; ++rank) {
    if (gemm.c.tiles(rank).empty()) continue;
    const Operands has = operands_of(gemm, rank);
    add_product(gemm, rank, has.a, has.b, machine.pe, work);
  }
  return work;
}

constexpr auto kReplicate = PlacementPolicy::kReplicate;
constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;

const RegisterMultiPeGemmKernel kRegistered(
    {.name = "owner_computes",
     .summary = "each PE computes its part of C and reads A and B from whoever has them",
     .placements = {{kRows, kReplicate, kRows},
                    {kReplicate, kColumns, kColumns},
                    {kReplicate, kReplicate, PlacementPolicy::kBlocks}},
     .by_place = true,
     .work = work,
     .run = run});

}  // namespace

}  // namespace kernbench
