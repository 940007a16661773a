#include "sim/kernels/pe_grid.hpp"

#include <algorithm>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_bound.hpp"

namespace kernbench {

std::vector<std::int64_t> counts_of_pieces(std::int64_t tiles) {
  std::vector<std::int64_t> counts;
  for (std::int64_t each = tiles; each > 0; --each) {
    const std::int64_t pieces = ceil_div(tiles, each);
    if (counts.empty() || counts.back() != pieces) counts.push_back(pieces);
  }
  return counts;
}

PeGrid::PeGrid(const PlacedGemm& gemm, const GridCut& cut)
    : gemm_(&gemm), cut_(cut), rows_(gemm.c.grid_rows()), columns_(gemm.c.grid_columns()) {}

std::vector<std::int64_t> PeGrid::ways_to_cut_c() const {
  const Rect c = gemm_->c.tiles(0);
  return counts_of_pieces(by_rows() ? c.rows.size() : c.columns.size());
}

std::vector<GridCut> PeGrid::fitting(const PlacedGemm& gemm, const PeSpec& pe, std::vector<GridCut> cuts) {
  for (GridCut& cut : cuts) {
    const PeGrid grid(gemm, cut);
    const MatrixLayout a = grid.room(Shared::kA);
    cut.block = {a.rows, a.columns, grid.room(Shared::kB).columns};
  }
  const GridCut smallest = cuts.back();
  std::erase_if(cuts, [&](const GridCut& cut) { return PeGrid(gemm, cut).tcm(pe) > gemm.tcm; });
  return cuts.empty() ? std::vector{smallest} : cuts;
}

Interval PeGrid::k_tiles(const GridStep& step) const {
  const Interval part = piece_of(gemm_->a.shape().column_tiles(), cut_.parts, step.part);
  const Interval piece = piece_of(part.size(), cut_.pieces, step.piece);
  return {part.begin + piece.begin, part.begin + piece.end};
}

Rect PeGrid::c_tiles(int pe, std::int64_t pass) const {
  Rect c = gemm_->c.tiles(pe);
  Interval& side = by_rows() ? c.rows : c.columns;
  const Interval piece = piece_of(side.size(), cut_.passes, pass);
  side = {side.begin + piece.begin, side.begin + piece.end};
  return c;
}

Rect PeGrid::tiles(Shared what, int pe, const GridStep& step) const {
  const Rect c = c_tiles(pe, step.pass);
  return what == Shared::kA ? Rect{c.rows, k_tiles(step)} : Rect{k_tiles(step), c.columns};
}

MatrixLayout PeGrid::sums(int pe, std::int64_t pass) const {
  const MatrixLayout c = gemm_->c.piece(c_tiles(pe, pass));
  return {Layout::kBlocked, c.rows,         c.columns,
          c.tile_rows,      c.tile_columns, 0,
          c.burst,          kOwnTcm,        accumulator_of(gemm_->problem.dtype)};
}

Bytes PeGrid::tcm(const PeSpec& pe) const {
  GemmMatrices matrices;
  matrices.a = room(Shared::kA).at(kOwnTcm, 0);
  matrices.b = room(Shared::kB).at(kOwnTcm, 0);
  matrices.c.dtype = gemm_->problem.result();
  const Bytes others = (cut_.rooms - 1) * (matrices.a.room() + matrices.b.room());
  return tcm_bytes_needed(gemm_->problem, matrices, pe) + others + (cut_.steps_of_pass() > 1 ? sums(0, 0).room() : 0);
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

Task<Operand> load_piece(KernelPe pe, const PeGrid* grid, Shared what, GridStep step, MatrixLayout room) {
  const int reader = pe.rank();
  const MatrixLayout piece = grid->piece(what, reader, step);
  const Rect tiles = grid->tiles(what, reader, step);
  const PlacedMatrix* matrix = &grid->matrix(what);
  const TileMap where = [matrix, tiles, reader](std::int64_t i, std::int64_t j) {
    return matrix->tile(tiles.rows.begin + i, tiles.columns.begin + j, reader);
  };
  co_return co_await pe.load(piece, where, piece.at(kOwnTcm, room.base));
}

GemmCall product_of_step(const PeGrid& grid, int pe, std::int64_t pass, Interval all, std::int64_t number,
                         const MatrixLayout& sums) {
  GemmCall call{grid.gemm().problem};
  call.problem.m = call.problem.k = call.problem.n = 0;
  const PlacedMatrix& c = grid.gemm().c;
  const Rect tiles = grid.c_tiles(pe, pass);
  const Rect part = within(tiles, c.tiles(pe));
  call.matrices.c_tiles = [whole = c.part(pe), part](std::int64_t i, std::int64_t j) {
    return whole.tile(part.rows.begin + i, part.columns.begin + j);
  };
  call.matrices.c = c.piece(tiles).at(c.part(pe).memory, call.matrices.c_tiles(0, 0).address);
  if (all.size() <= 1) return call;
  const MatrixLayout kept = grid.sums(pe, pass).at(kOwnTcm, sums.base);
  call.sums.tiles = [kept](std::int64_t i, std::int64_t j) { return kept.tile(i, j); };
  call.sums.add = number > all.begin;
  call.sums.keep = number + 1 < all.end;
  if (call.sums.keep) call.problem.epilogues = per_k_tile(call.problem.epilogues);
  return call;
}

}  // namespace kernbench
