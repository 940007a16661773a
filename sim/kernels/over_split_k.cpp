// split_k: each PE multiplies its part of K; the products are added up round a ring, and each PE ends with rows of C.
#include <algorithm>

#include "sim/base/bf16.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {

namespace {

/// The rows of C that a PE ends with, in a PE's own product.
MatrixLayout rows_of(const PlacedGemm& gemm, int owner, int pe) {
  return gemm.partial[static_cast<std::size_t>(pe)].rows_from(gemm.c.tiles(owner).rows.begin, gemm.c.part(owner));
}

Process run(KernelPe pe, GemmOverCall gemm) {
  const std::int32_t size = pe.size();
  const std::int32_t rank = pe.rank();
  const Operand a = co_await pe.ref(gemm->a.part(rank));
  const Operand b = co_await pe.ref(gemm->b.part(rank));
  GemmCall call{gemm->problem};
  call.matrices.c = gemm->partial[static_cast<std::size_t>(rank)];
  call.problem.k = a.matrix.columns;
  co_await pe.wait(co_await pe.composite(call, a, b));
  for (std::int32_t step = 0; step + 1 < size; ++step) {
    const MatrixLayout goes = rows_of(*gemm, (rank + 2 * size - 1 - step) % size, rank);
    const MatrixLayout comes = rows_of(*gemm, (rank + 2 * size - 2 - step) % size, rank);
    Pending sent = Pending::nothing();
    if (goes.rows > 0) sent = co_await pe.send(goes, (rank + 1) % size);
    if (comes.rows > 0) co_await pe.recv_add(comes, (rank + size - 1) % size);
    co_await pe.wait(sent);
  }
}

void check(const PlacedGemm& gemm, int pes) {
  if (gemm.a.policy() != PlacementPolicy::kColumns || gemm.b.policy() != PlacementPolicy::kRows ||
      gemm.c.policy() != PlacementPolicy::kRows) {
    throw ConfigError("variant split_k: expected --place a=columns,b=rows,c=rows");
  }
  if (!gemm.problem.epilogues.empty()) {
    throw ConfigError("variant split_k: an epilogue needs whole sums; expected none");
  }
  if (gemm.a.part(pes - 1).columns == 0) {
    throw ConfigError("variant split_k: " + std::to_string(gemm.a.shape().column_tiles()) +
                      " tiles along K leave some of " + std::to_string(pes) +
                      " PEs without any; expected a part for each: take fewer PEs or a larger K");
  }
}

std::vector<PeWork> work(const PlacedGemm& gemm, int pes) {
  std::vector<PeWork> work(static_cast<std::size_t>(pes));
  const std::int64_t m_tiles = gemm.c.shape().row_tiles();
  const std::int64_t n_tiles = gemm.c.shape().column_tiles();
  const Bytes c = gemm.c.shape().element_bytes();
  for (int pe = 0; pe < pes; ++pe) {
    PeWork& own = work[static_cast<std::size_t>(pe)];
    own.tiles = m_tiles * n_tiles * gemm.a.part(pe).column_tiles();
    own.sent = c - gemm.c.part(pe).element_bytes();
    own.received = c - gemm.c.part((pe + pes - 1) % pes).element_bytes();
    // Operands tile by tile; what is sent, and what is added to.
    own.given =
        n_tiles * gemm.a.part(pe).element_bytes() + m_tiles * gemm.b.part(pe).element_bytes() + own.sent + own.received;
    own.read = own.given;
  }
  return work;
}

/// Each PE's product is rounded to bf16, and each sum: rows of PE p begin with the product of PE p + 1 and end with its
/// own.
MatrixElement reference(const PlacedGemm& gemm, int pes) {
  std::vector<GemmReference> products;
  std::vector<std::int64_t> owners;  // of each row of tiles
  for (int pe = 0; pe < pes; ++pe) {
    const Rect has = gemm.a.tiles(pe);
    const std::int64_t tile = gemm.a.shape().tile_columns;
    products.emplace_back(gemm.problem,
                          Interval{has.columns.begin * tile, std::min(gemm.problem.k, has.columns.end * tile)});
    for (std::int64_t row = gemm.c.tiles(pe).rows.begin; row < gemm.c.tiles(pe).rows.end; ++row) owners.push_back(pe);
  }
  const auto rounded = [](float value) { return static_cast<float>(Bf16(value)); };
  return [=, tile = gemm.c.shape().tile_rows](std::int64_t row, std::int64_t column) mutable {
    const std::int64_t owner = owners[static_cast<std::size_t>(row / tile)];
    const auto product = [&](std::int64_t pe) {
      return rounded(products[static_cast<std::size_t>(pe % pes)](row, column));
    };
    float sum = product(owner + 1);
    for (std::int64_t next = owner + 2; next <= owner + pes; ++next) sum = rounded(product(next) + sum);
    return sum;
  };
}

const RegisterGemmOverKernel kRegistered({"split_k",
                                          "each PE multiplies its part of K, the products are added up round a ring",
                                          {PlacementPolicy::kColumns, PlacementPolicy::kRows, PlacementPolicy::kRows},
                                          true,
                                          check,
                                          work,
                                          run,
                                          reference});

}  // namespace

}  // namespace kernbench
