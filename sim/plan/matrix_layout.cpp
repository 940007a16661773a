#include "sim/plan/matrix_layout.hpp"

#include <algorithm>

namespace kernbench {

std::int64_t MatrixLayout::rows_of(std::int64_t tile_row) const {
  return std::min(tile_rows, rows - tile_row * tile_rows);
}

std::int64_t MatrixLayout::columns_of(std::int64_t tile_column) const {
  return std::min(tile_columns, columns - tile_column * tile_columns);
}

Bytes MatrixLayout::slot_bytes() const {
  const Bytes tile = tile_rows * bytes_of(tile_columns, dtype);
  return is_grouped(dtype) ? tile : ceil_div(tile, burst) * burst;
}

Bytes MatrixLayout::footprint() const {
  return layout == Layout::kBlocked ? row_tiles() * column_tiles() * slot_bytes() : element_bytes();
}

Block MatrixLayout::tile(std::int64_t tile_row, std::int64_t tile_column) const {
  const std::int64_t height = rows_of(tile_row);
  const Bytes width = bytes_of(columns_of(tile_column), dtype);
  if (layout == Layout::kBlocked) {
    const Address slot = base + (tile_row * column_tiles() + tile_column) * slot_bytes();
    return {slot, height, width, width, memory, dtype};
  }
  const Bytes stride = row_bytes();
  return {base + tile_row * tile_rows * stride + tile_column * bytes_of(tile_columns, dtype),
          height,
          width,
          stride,
          memory,
          dtype};
}

MatrixLayout MatrixLayout::at(MemoryNode other, Address address) const {
  MatrixLayout copy = *this;
  copy.memory = other;
  copy.base = address;
  return copy;
}

std::vector<Block> MatrixLayout::whole() const {
  if (layout == Layout::kRowMajor || footprint() == element_bytes()) {
    return {{base, 1, element_bytes(), element_bytes(), memory, dtype}};
  }
  std::vector<Block> blocks;
  for (std::int64_t row = 0; row < row_tiles(); ++row) {
    for (std::int64_t column = 0; column < column_tiles(); ++column) blocks.push_back(tile(row, column));
  }
  return blocks;
}

}  // namespace kernbench
