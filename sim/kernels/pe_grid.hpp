// The grid of PEs that a GEMM by blocks of C is on, and the pieces of K in which each multiplies its block: what
// kernels have in common that differ in how pieces of A and B come to the PEs (30.17, 30.18).
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// A part of K: `part` of as many as the longer side of the grid has PEs, of which each step takes the `slab`-th piece.
struct KPart {
  std::int64_t part = 0;
  std::int64_t slab = 0;
  bool operator==(const KPart&) const = default;
};

/// Which of A, whose pieces PEs of a row share, and B, whose pieces PEs of a column share.
enum class Shared : std::uint8_t { kA, kB };

class PeGrid {
 public:
  /// With as few pieces of K as fit, `rooms` for each operand. The GEMM outlives it.
  PeGrid(const PlacedGemm& gemm, const PeSpec& pe, int rooms);

  [[nodiscard]] const PlacedGemm& gemm() const { return *gemm_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] std::int64_t parts() const { return parts_; }
  [[nodiscard]] int rooms() const { return rooms_; }
  [[nodiscard]] std::int64_t steps() const { return parts_ * slabs_; }
  /// Tiles along K.
  [[nodiscard]] Interval k_tiles(const KPart& k) const;
  [[nodiscard]] const PlacedMatrix& matrix(Shared what) const { return what == Shared::kA ? gemm_->a : gemm_->b; }
  /// What a PE multiplies.
  [[nodiscard]] Rect tiles(Shared what, int pe, const KPart& k) const;
  /// As a matrix of its own; without rows or columns where there is nothing.
  [[nodiscard]] MatrixLayout piece(Shared what, int pe, const KPart& k) const {
    return matrix(what).piece(tiles(what, pe, k));
  }
  /// The steps with something to multiply, from the first to the last, where step s multiplies at(s).
  template <class At>
  [[nodiscard]] Interval steps_of_sums(At at) const {
    Interval all{steps(), 0};
    for (std::int64_t step = 0; step < steps(); ++step) {
      if (!k_tiles(at(step)).empty()) all = {std::min(all.begin, step), step + 1};
    }
    return all;
  }
  [[nodiscard]] bool has_part(int pe) const { return !gemm_->c.tiles(pe).empty(); }

  /// The largest piece: that of PE 0 in the first part of K.
  [[nodiscard]] MatrixLayout room(Shared what) const { return piece(what, 0, {}); }
  /// Sums of a PE's C between pieces of K.
  [[nodiscard]] MatrixLayout sums(int pe) const;
  /// Rooms for A and for B, sums, the stages of a composite.
  [[nodiscard]] Bytes tcm(const PeSpec& pe) const;

  /// What all kernels refuse: `name` is the kernel's.
  static void check(const PlacedGemm& gemm, const char* name);
  /// What a PE does besides moving operands: products, and its part of C.
  void add_products(int pe, const PeSpec& spec, MultiPeWork& work) const;

 private:
  const PlacedGemm* gemm_;
  int rooms_;
  std::int64_t slabs_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t parts_ = 1;
};

[[nodiscard]] inline bool any(const MatrixLayout& matrix) { return matrix.rows > 0 && matrix.columns > 0; }

/// Starts to load what the PE multiplies of an operand into a room in TCM.
Task<Operand> load_piece(KernelPe pe, const PeGrid* grid, Shared what, KPart k, MatrixLayout room);

/// The product of one of the steps `all`, whose sums are `sums` where there are several.
[[nodiscard]] GemmCall product_of_step(const PeGrid& grid, int pe, Interval all, std::int64_t step,
                                       const MatrixLayout& sums);

}  // namespace kernbench
