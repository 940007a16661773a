#include "sim/plan/distributed_gemm/matrix_chunks.hpp"

#include <algorithm>

namespace kernbench {

std::vector<MatrixLayout> chunks_of(const MatrixLayout& matrix, Bytes most) {
  std::vector<MatrixLayout> chunks;
  if (matrix.rows <= 0 || matrix.columns <= 0) return chunks;
  const std::int64_t tiles = std::max<std::int64_t>(1, most / matrix.slot_bytes());
  const std::int64_t across = std::min(matrix.column_tiles(), tiles);
  const std::int64_t down = across < matrix.column_tiles() ? 1 : tiles / across;
  for (std::int64_t row = 0; row < matrix.row_tiles(); row += down) {
    for (std::int64_t column = 0; column < matrix.column_tiles(); column += across) {
      MatrixLayout chunk = matrix;
      chunk.rows = std::min(matrix.rows, (row + down) * matrix.tile_rows) - row * matrix.tile_rows;
      chunk.columns = std::min(matrix.columns, (column + across) * matrix.tile_columns) - column * matrix.tile_columns;
      chunk.base += (row * matrix.column_tiles() + column) * matrix.slot_bytes();
      chunks.push_back(chunk);
    }
  }
  return chunks;
}

}  // namespace kernbench
