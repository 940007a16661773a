// The grid of PEs that a GEMM by blocks of C is on, and the steps in which each multiplies its block: what kernels have
// in common that differ in how pieces of A and B come to the PEs (30.17, 30.18).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// Into how many pieces so many tiles can be cut, each count making them smaller than the one before it.
[[nodiscard]] std::vector<std::int64_t> counts_of_pieces(std::int64_t tiles);

/// The `piece`-th piece of a part of K, for one part of C.
struct GridStep {
  std::int64_t pass = 0;
  std::int64_t part = 0;
  std::int64_t piece = 0;
  bool operator==(const GridStep&) const = default;
};

/// Which of A, whose pieces PEs of a row share, and B, whose pieces PEs of a column share.
enum class Shared : std::uint8_t { kA, kB };

class PeGrid {
 public:
  /// The GEMM, whose C is placed by blocks, outlives it.
  PeGrid(const PlacedGemm& gemm, const GridCut& cut);
  explicit PeGrid(const PlacedGemm& gemm) : PeGrid(gemm, gemm.cut) {}

  [[nodiscard]] const PlacedGemm& gemm() const { return *gemm_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] const GridCut& cut() const { return cut_; }
  [[nodiscard]] std::int64_t steps() const { return cut_.passes * cut_.steps_of_pass(); }
  /// Into how many parts a PE's C can be cut, along its longer side.
  [[nodiscard]] std::vector<std::int64_t> ways_to_cut_c() const;
  /// Tiles along K.
  [[nodiscard]] Interval k_tiles(const GridStep& step) const;
  [[nodiscard]] const PlacedMatrix& matrix(Shared what) const { return what == Shared::kA ? gemm_->a : gemm_->b; }
  /// What a PE multiplies.
  [[nodiscard]] Rect tiles(Shared what, int pe, const GridStep& step) const;
  /// As a matrix of its own; without rows or columns where there is nothing.
  [[nodiscard]] MatrixLayout piece(Shared what, int pe, const GridStep& step) const {
    return matrix(what).piece(tiles(what, pe, step));
  }
  [[nodiscard]] bool has_part(int pe) const { return !gemm_->c.tiles(pe).empty(); }
  /// Of a PE's C in one pass.
  [[nodiscard]] Rect c_tiles(int pe, std::int64_t pass) const;

  /// The largest piece: that of PE 0 in the first step.
  [[nodiscard]] MatrixLayout room(Shared what) const { return piece(what, 0, {}); }
  /// Sums of a PE's C between pieces of K.
  [[nodiscard]] MatrixLayout sums(int pe, std::int64_t pass) const;
  /// Rooms for A and for B, sums, the stages of a composite, of the PE that takes most.
  [[nodiscard]] Bytes tcm(const PeSpec& pe) const;

  /// Those of a GEMM that fit, in their order, each with its block; where none does, the last.
  static std::vector<GridCut> fitting(const PlacedGemm& gemm, const PeSpec& pe, std::vector<GridCut> cuts);
  /// What all kernels refuse: `name` is the kernel's.
  static void check(const PlacedGemm& gemm, const char* name);
  /// What a PE does besides moving operands: products, and its part of C.
  void add_products(int pe, const PeSpec& spec, MultiPeWork& work) const;

 private:
  /// The longer side of PE 0's C is its rows.
  [[nodiscard]] bool by_rows() const { return gemm_->c.part(0).rows > gemm_->c.part(0).columns; }

  const PlacedGemm* gemm_;
  GridCut cut_;
  std::int64_t rows_;
  std::int64_t columns_;
};

[[nodiscard]] inline bool any(const MatrixLayout& matrix) { return matrix.rows > 0 && matrix.columns > 0; }

/// Starts to load what the PE multiplies of an operand into a room in TCM.
Task<Operand> load_piece(KernelPe pe, const PeGrid* grid, Shared what, GridStep step, MatrixLayout room);

/// The product of a step, of which `number` is the number in its pass; `all` are those of a pass with something to
/// multiply, from the first to the last, whose sums lie in `sums` where there are several.
[[nodiscard]] GemmCall product_of_step(const PeGrid& grid, int pe, std::int64_t pass, Interval all, std::int64_t number,
                                       const MatrixLayout& sums);

}  // namespace kernbench
