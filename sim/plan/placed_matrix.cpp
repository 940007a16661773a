#include "sim/plan/placed_matrix.hpp"

#include <algorithm>

namespace kernbench {

namespace {

Partition partition_of(PlacementPolicy policy) {
  switch (policy) {
    case PlacementPolicy::kColumns:
      return Partition::kColumn;
    case PlacementPolicy::kBlocks:
      return Partition::kBlock;
    default:
      return Partition::kRow;
  }
}

}  // namespace

PlacedMatrix::PlacedMatrix(const MatrixLayout& shape, PlacementPolicy policy, int pes, int parts, int grid_rows)
    : shape_(shape),
      policy_(policy),
      cut_into_(parts),
      tiles_(shape.row_tiles(), shape.column_tiles(), partition_of(policy),
             policy == PlacementPolicy::kReplicate ? parts : 1, parts, "--place", grid_rows),
      rows_each_(std::max<std::int64_t>(1, tiles_.tile(0).rows.size())),
      columns_each_(std::max<std::int64_t>(1, tiles_.tile(0).columns.size())),
      memories_(static_cast<std::size_t>(pes), kOwnPartition) {
  for (int pe = 0; pe < pes; ++pe) parts_.push_back(piece(tiles(pe)));
}

int PlacedMatrix::parts() const {
  int count = cut_into_;
  while (count > 0 && tiles(count - 1).empty()) --count;
  return count;
}

MatrixLayout PlacedMatrix::piece(const Rect& tiles) const {
  MatrixLayout part = shape_;
  part.rows = std::min(shape_.rows, tiles.rows.end * shape_.tile_rows) - tiles.rows.begin * shape_.tile_rows;
  part.columns =
      std::min(shape_.columns, tiles.columns.end * shape_.tile_columns) - tiles.columns.begin * shape_.tile_columns;
  if (tiles.empty()) part.rows = part.columns = 0;
  return part;
}

std::vector<PlacedMatrix::Piece> PlacedMatrix::pieces_of(const Rect& rect, int reader) const {
  std::vector<Piece> pieces;
  for (const int tile : tiles_.tiles_in(rect)) {
    pieces.push_back({tiles_.owner_for(reader, tile), common(rect, tiles_.tile(tile))});
  }
  return pieces;
}

int PlacedMatrix::owner(std::int64_t row, std::int64_t column, int reader) const {
  const std::int64_t tile = row / rows_each_ * tiles_.grid_columns() + column / columns_each_;
  return tiles_.owner_for(reader, static_cast<int>(tile));
}

void PlacedMatrix::place(int pe, Address address, MemoryNode memory) {
  MatrixLayout& part = parts_[static_cast<std::size_t>(pe)];
  part = part.at(kOwnPartition, address);
  memories_[static_cast<std::size_t>(pe)] = memory;
}

Block PlacedMatrix::tile(std::int64_t row, std::int64_t column, int reader) const {
  const int pe = owner(row, column, reader);
  const Rect has = tiles(pe);
  Block block = part(pe).tile(row - has.rows.begin, column - has.columns.begin);
  block.memory = pe == reader ? kOwnPartition : memories_[static_cast<std::size_t>(pe)];
  return block;
}

}  // namespace kernbench
