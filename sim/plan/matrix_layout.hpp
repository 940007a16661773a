// Where the elements of a matrix lie in a memory: row-major, or blocked by tiles (ADR-0006).
#pragma once

#include <functional>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

enum class Layout { kBlocked, kRowMajor };
inline constexpr Names<Layout> kLayouts{"layout", {{Layout::kBlocked, "blocked"}, {Layout::kRowMajor, "row_major"}}};

/// A matrix of rows x columns elements, cut into tiles of tile_rows x tile_columns.
struct MatrixLayout {
  Layout layout = Layout::kBlocked;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  Address base = 0;
  Bytes burst = 0;  ///< tile slots of a blocked matrix begin at multiples of it (6.4)
  MemoryNode memory = kOwnPartition;
  Dtype dtype = Dtype::kBf16;  ///< of its elements
  bool operator==(const MatrixLayout&) const = default;

  [[nodiscard]] std::int64_t row_tiles() const { return ceil_div(rows, tile_rows); }
  [[nodiscard]] std::int64_t column_tiles() const { return ceil_div(columns, tile_columns); }
  [[nodiscard]] std::int64_t rows_of(std::int64_t tile_row) const;
  [[nodiscard]] std::int64_t columns_of(std::int64_t tile_column) const;

  /// Bytes from one tile of a blocked matrix to the next: whole bursts, or of a dtype with groups what a tile has.
  [[nodiscard]] Bytes slot_bytes() const;
  /// Bytes from a tile to that of the next row of tiles, and of the next column.
  [[nodiscard]] Bytes row_stride() const { return tile(1, 0).address - base; }
  [[nodiscard]] Bytes column_stride() const { return tile(0, 1).address - base; }
  /// Bytes of memory that the matrix takes, gaps included.
  [[nodiscard]] Bytes footprint() const;
  /// Bytes of a TCM that it takes: whole bursts (28.13).
  [[nodiscard]] Bytes room() const { return ceil_div(footprint(), burst) * burst; }
  /// Bytes of its elements alone.
  [[nodiscard]] Bytes element_bytes() const { return rows * row_bytes(); }
  /// And of a row of them.
  [[nodiscard]] Bytes row_bytes() const { return bytes_of_row(columns, tile_columns, dtype); }

  /// The valid elements of one tile.
  [[nodiscard]] Block tile(std::int64_t tile_row, std::int64_t tile_column) const;
  [[nodiscard]] bool in_tcm() const { return memory == kOwnTcm; }
  /// The same matrix elsewhere.
  [[nodiscard]] MatrixLayout at(MemoryNode other, Address address) const;
  /// The whole matrix, as few blocks as it takes, in the order in which a load moves them.
  [[nodiscard]] std::vector<Block> whole() const;
};

/// Where a tile of a matrix lies whose tiles are not where its layout says: parts of it are in several memories, or it
/// is a piece of a larger one.
using TileMap = std::function<Block(std::int64_t tile_row, std::int64_t tile_column)>;

}  // namespace kernbench
