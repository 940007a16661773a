#include "sim/system/multi_pe_mapped.hpp"

#include <algorithm>

#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/mapped_gemm.hpp"

namespace kernbench {

namespace {

/// Tiles of a matrix as a PE finds them; none where they are its own part, as its layout says.
struct Found {
  MatrixLayout matrix;
  TileMap tiles{};
};

Found found(const MultiPeGemmCall& gemm, const PlacedMatrix PlacedGemm::*matrix, const Rect& tiles, int pe) {
  const PlacedMatrix& all = (*gemm).*matrix;
  if (all.tiles(pe) == tiles) return {all.part(pe)};
  return {all.piece(tiles), [gemm, matrix, tiles, pe](std::int64_t i, std::int64_t j) {
            return ((*gemm).*matrix).tile(tiles.rows.begin + i, tiles.columns.begin + j, pe);
          }};
}

/// C of a group in the product of one of its PEs.
Found product_of(const MultiPeGemmCall& gemm, const Rect& tiles, int pe) {
  return {gemm->c.piece(tiles), [gemm, tiles, pe](std::int64_t i, std::int64_t j) {
            const std::int64_t row = tiles.rows.begin + i;
            const std::int64_t column = tiles.columns.begin + j;
            const int owner = gemm->c.owner(row, column, 0);
            const Rect has = gemm->c.tiles(owner);
            return gemm->product(owner, pe).tile(row - has.rows.begin, column - has.columns.begin);
          }};
}

GemmCall call_of(const MultiPeGemmCall& gemm, const MappedPart& part, int pe) {
  GemmCall call{part.mapped.problem()};
  const Found a = found(gemm, &PlacedGemm::a, part.a, pe);
  const Found b = found(gemm, &PlacedGemm::b, part.b, pe);
  call.matrices.a = a.matrix;
  call.matrices.a_tiles = a.tiles;
  call.matrices.b = b.matrix;
  call.matrices.b_tiles = b.tiles;
  call.matrices.c = gemm->c.part(pe);
  if (gemm->mapping->split_k == 1) return call;
  const Found c = product_of(gemm, part.c, pe);
  call.matrices.c = c.matrix;
  call.matrices.c_tiles = c.tiles;
  return call;
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const std::int32_t rank = pe.rank();
  const std::optional<MappedPart> part = mapped_part(*gemm, rank);
  if (!part) co_return;
  const auto mapped = std::make_shared<const MappedGemm>(part->mapped);
  GemmCall call = call_of(gemm, *part, rank);
  if (mapped->sums_in_hbm()) {
    call.matrices.kept = mapped->sums_layout(pe.machine().die.hbm.burst)
                             .at(kOwnPartition, gemm->kept[static_cast<std::size_t>(rank) % gemm->kept.size()]);
  }
  const Process multiplied = run_mapped(pe, call, mapped);
  co_await multiplied.finished();
  const auto size = static_cast<std::int32_t>(gemm->mapping->split_k);
  const std::int32_t first = part->first;
  const std::int32_t at = rank - first;
  for (std::int32_t step = 0; step + 1 < size; ++step) {
    const MatrixLayout goes = gemm->product(first + (at + 2 * size - 1 - step) % size, rank);
    const MatrixLayout comes = gemm->product(first + (at + 2 * size - 2 - step) % size, rank);
    Pending sent = Pending::nothing();
    if (goes.rows > 0 && goes.columns > 0) sent = co_await pe.send(goes, first + (at + 1) % size);
    if (comes.rows > 0 && comes.columns > 0) co_await pe.recv_add(comes, first + (at + size - 1) % size);
    co_await pe.wait(sent);
  }
}

MatrixElement reference(const PlacedGemm& gemm) {
  const MultiPeMapping& mapping = *gemm.mapping;
  const auto size = static_cast<int>(mapping.split_k);
  const std::int64_t tile = gemm.a.shape().tile_columns;
  std::vector<GemmReference> products;
  for (std::int64_t part = 0; part < size; ++part) {
    const Interval tiles = k_tiles_of(gemm, part);
    const Interval k{tiles.begin * tile, std::min(gemm.problem.k, tiles.end * tile)};
    const SumRounding rounding{std::min(mapping.local.block.k, k.size()), dtype_of(mapping.local.sums.format)};
    products.emplace_back(gemm.problem, k, rounding);
  }
  if (size == 1) return products.front();
  return added_round_ring(std::move(products), gemm.c);
}

constexpr auto kReplicate = PlacementPolicy::kReplicate;
constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;

const MultiPeGemmKernel kWhole{.name = "mapped",
                               .summary = "each PE computes its part of C by a mapping",
                               .placements = {{kRows, kReplicate, kRows},
                                              {kReplicate, kColumns, kColumns},
                                              {kReplicate, kReplicate, PlacementPolicy::kBlocks}},
                               .by_place = true,
                               .check = check_mapped,
                               .work = mapped_work,
                               .run = run,
                               .reference = reference};

const MultiPeGemmKernel kSplit{.name = "mapped",
                               .summary = "groups of PEs split K, and add their products up round a ring",
                               .placements = {{kColumns, kRows, kRows},
                                              {kColumns, kRows, kColumns},
                                              {kReplicate, kReplicate, kRows},
                                              {kReplicate, kReplicate, kColumns}},
                               .products = true,
                               .queues = 1,
                               .check = check_mapped,
                               .work = mapped_work,
                               .run = run,
                               .reference = reference};

}  // namespace

const MultiPeGemmKernel& multi_pe_mapped_kernel(const MultiPeMapping& mapping) {
  return mapping.split_k > 1 ? kSplit : kWhole;
}

}  // namespace kernbench
