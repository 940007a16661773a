#include "sim/kernels/pe_grid.hpp"

#include <algorithm>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_bound.hpp"

namespace kernbench {

PeGrid::PeGrid(const PlacedGemm& gemm, const PeSpec& pe, int rooms) : gemm_(&gemm), rooms_(rooms) {
  while (columns_ < gemm.pes && gemm.c.tiles(static_cast<int>(columns_)).rows == gemm.c.tiles(0).rows) ++columns_;
  rows_ = gemm.pes / columns_;
  parts_ = std::max(rows_, columns_);
  const std::int64_t whole = k_tiles({}).size();
  for (std::int64_t tiles = whole; tiles > 1 && tcm(pe) > gemm.tcm; tiles = k_tiles({}).size()) {
    slabs_ = ceil_div(whole, tiles - 1);  // the next that makes pieces smaller
  }
}

Interval PeGrid::k_tiles(const KPart& k) const {
  const Interval part = piece_of(gemm_->a.shape().column_tiles(), parts_, k.part);
  const Interval piece = piece_of(part.size(), slabs_, k.slab);
  return {part.begin + piece.begin, part.begin + piece.end};
}

Rect PeGrid::tiles(Shared what, int pe, const KPart& k) const {
  const Rect c = gemm_->c.tiles(pe);
  return what == Shared::kA ? Rect{c.rows, k_tiles(k)} : Rect{k_tiles(k), c.columns};
}

MatrixLayout PeGrid::sums(int pe) const {
  const MatrixLayout& c = gemm_->c.part(pe);
  return {Layout::kBlocked, c.rows,         c.columns,
          c.tile_rows,      c.tile_columns, 0,
          c.burst,          kOwnTcm,        accumulator_of(gemm_->problem.dtype)};
}

Bytes PeGrid::tcm(const PeSpec& pe) const {
  GemmMatrices matrices;
  matrices.a = room(Shared::kA).at(kOwnTcm, 0);
  matrices.b = room(Shared::kB).at(kOwnTcm, 0);
  matrices.c.dtype = gemm_->problem.result();
  const Bytes others = (rooms_ - 1) * (matrices.a.room() + matrices.b.room());
  return tcm_bytes_needed(gemm_->problem, matrices, pe) + others + (steps() > 1 ? sums(0).room() : 0);
}

void PeGrid::check(const PlacedGemm& gemm, const char* name) {
  const std::string variant = std::string("variant ") + name + ": ";
  if (gemm.c.policy() != PlacementPolicy::kBlocks) throw ConfigError(variant + "expected --place c=blocks");
  if (!gemm.problem.has_partials()) return;
  throw ConfigError(variant + "an epilogue of every K tile is none of a part of K; expected epilogues of outputs");
}

void PeGrid::add_products(int pe, const PeSpec& spec, MultiPeWork& work) const {
  const MatrixLayout& c = gemm_->c.part(pe);
  if (!any(c)) return;
  const GemmProblem& problem = gemm_->problem;
  const Rect columns{{0, gemm_->b.shape().row_tiles()}, gemm_->c.tiles(pe).columns};
  work.multiplies(pe, array_work(spec, {c.rows, problem.k, c.columns}, false, problem.dtype),
                  conversion_cycles(gemm_->b.piece(columns), c.row_tiles(), problem.dtype, spec.vector));
  work.writes(pe, c.element_bytes());
}

Task<Operand> load_piece(KernelPe pe, const PeGrid* grid, Shared what, KPart k, MatrixLayout room) {
  const int reader = pe.rank();
  const MatrixLayout piece = grid->piece(what, reader, k);
  const Rect tiles = grid->tiles(what, reader, k);
  const PlacedMatrix* matrix = &grid->matrix(what);
  const TileMap where = [matrix, tiles, reader](std::int64_t i, std::int64_t j) {
    return matrix->tile(tiles.rows.begin + i, tiles.columns.begin + j, reader);
  };
  co_return co_await pe.load(piece, where, piece.at(kOwnTcm, room.base));
}

GemmCall product_of_step(const PeGrid& grid, int pe, Interval all, std::int64_t step, const MatrixLayout& sums) {
  GemmCall call{grid.gemm().problem};
  call.problem.m = call.problem.k = call.problem.n = 0;
  call.matrices.c = grid.gemm().c.part(pe);
  if (all.size() <= 1) return call;
  call.sums.tiles = [sums](std::int64_t i, std::int64_t j) { return sums.tile(i, j); };
  call.sums.add = step > all.begin;
  call.sums.keep = step + 1 < all.end;
  if (call.sums.keep) call.problem.epilogues = per_k_tile(call.problem.epilogues);
  return call;
}

}  // namespace kernbench
