// owner_computes: each PE computes its part of C and streams the operands from whoever has them.
#include "sim/system/gemm_over.hpp"

namespace kernbench {

namespace {

/// Rows and columns of tiles of A and B, from an offset on, as a PE finds them.
TileMap from(const PlacedMatrix* matrix, std::int64_t row, std::int64_t column, int pe) {
  return [=](std::int64_t i, std::int64_t j) { return matrix->tile(row + i, column + j, pe); };
}

Process run(KernelPe pe, GemmOverCall gemm) {
  const Rect has = gemm->c.tiles(pe.rank());
  if (has.empty()) co_return;
  MatrixLayout rows = gemm->a.shape();
  MatrixLayout columns = gemm->b.shape();
  const MatrixLayout c = gemm->c.part(pe.rank());
  rows.rows = c.rows;
  columns.columns = c.columns;
  const Operand a = co_await pe.ref(rows, from(&gemm->a, has.rows.begin, 0, pe.rank()));
  const Operand b = co_await pe.ref(columns, from(&gemm->b, 0, has.columns.begin, pe.rank()));
  GemmCall call{gemm->problem};
  call.matrices.c = c;
  call.problem.m = c.rows;
  call.problem.n = c.columns;
  co_await pe.wait(co_await pe.composite(call, a, b));
}

std::vector<PeWork> work(const PlacedGemm& gemm, int pes) {
  std::vector<PeWork> work(static_cast<std::size_t>(pes));
  for (int pe = 0; pe < pes; ++pe) add_streams(gemm, pe, gemm.c.tiles(pe).rows, gemm.c.tiles(pe).columns, work);
  return work;
}

const RegisterGemmOverKernel kRegistered({"owner_computes",
                                          "each PE computes its part of C and streams A and B from whoever has them",
                                          {PlacementPolicy::kRows, PlacementPolicy::kReplicate, PlacementPolicy::kRows},
                                          false,
                                          nullptr,
                                          work,
                                          run});

}  // namespace

}  // namespace kernbench
