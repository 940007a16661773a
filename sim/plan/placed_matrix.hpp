// A matrix spread over the partitions of several PEs, whole tiles by whole tiles (adr/0030).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/plan/distributed_gemm/distributed_matrix.hpp"
#include "sim/plan/matrix_layout.hpp"

namespace kernbench {

/// Who has which tiles: every PE all of them; groups of rows or columns of tiles; blocks of a grid of PEs.
enum class PlacementPolicy : std::uint8_t { kReplicate, kRows, kColumns, kBlocks };
inline constexpr Names<PlacementPolicy> kPlacementPolicies{"placement",
                                                           {{PlacementPolicy::kReplicate, "replicate"},
                                                            {PlacementPolicy::kRows, "rows"},
                                                            {PlacementPolicy::kColumns, "columns"},
                                                            {PlacementPolicy::kBlocks, "blocks"}}};

class PlacedMatrix {
 public:
  /// A matrix of `shape`'s rows, columns, tiles and layout over the first `parts` of `pes` PEs, none of it anywhere
  /// yet; by `blocks` on a grid of so many rows, which divide the parts.
  PlacedMatrix(const MatrixLayout& shape, PlacementPolicy policy, int pes, int parts, int grid_rows = 0);
  PlacedMatrix(const MatrixLayout& shape, PlacementPolicy policy, int pes) : PlacedMatrix(shape, policy, pes, pes) {}

  [[nodiscard]] const MatrixLayout& shape() const { return shape_; }
  [[nodiscard]] PlacementPolicy policy() const { return policy_; }
  /// Parts one below the other, and one beside the other.
  [[nodiscard]] int grid_rows() const { return tiles_.grid_rows(); }
  [[nodiscard]] int grid_columns() const { return tiles_.grid_columns(); }
  /// The tiles that a PE has: rows and columns of tiles.
  [[nodiscard]] Rect tiles(int pe) const { return pe < cut_into_ ? tiles_.tile(tiles_.tile_of(pe)) : Rect{}; }
  /// They as a matrix of their own; without rows or columns where a PE has none.
  [[nodiscard]] const MatrixLayout& part(int pe) const { return parts_[static_cast<std::size_t>(pe)]; }
  /// PEs that have some of it: 0, 1, ... of the run, with `blocks` up to the last that has.
  [[nodiscard]] int parts() const;
  /// Some of its tiles as a matrix of their own, nowhere.
  [[nodiscard]] MatrixLayout piece(const Rect& tiles) const;
  /// Who has the tiles of `rect` that `reader` uses, and which of them.
  struct Piece {
    int owner = 0;
    Rect tiles;
  };
  [[nodiscard]] std::vector<Piece> pieces_of(const Rect& rect, int reader) const;
  /// Which PE's copy of a tile `reader` uses: its own, where it has one.
  [[nodiscard]] int owner(std::int64_t row, std::int64_t column, int reader) const;

  /// PE `pe` has its part from `address` on; others reach its partition as `memory`.
  void place(int pe, Address address, MemoryNode memory);
  /// A tile as `reader` finds it.
  [[nodiscard]] Block tile(std::int64_t row, std::int64_t column, int reader) const;

 private:
  MatrixLayout shape_;
  PlacementPolicy policy_;
  int cut_into_;
  DistributedMatrix tiles_;
  std::int64_t rows_each_;     // of tiles
  std::int64_t columns_each_;  // of tiles
  std::vector<MatrixLayout> parts_;
  std::vector<MemoryNode> memories_;
};

}  // namespace kernbench
