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

PlacedMatrix::PlacedMatrix(const MatrixLayout& shape, PlacementPolicy policy, int pes)
    : shape_(shape),
      policy_(policy),
      tiles_(shape.row_tiles(), shape.column_tiles(), partition_of(policy),
             policy == PlacementPolicy::kReplicate ? pes : 1, pes, "--place"),
      rows_each_(std::max<std::int64_t>(1, tiles_.tile(0).rows.size())),
      columns_each_(std::max<std::int64_t>(1, tiles_.tile(0).columns.size())),
      memories_(static_cast<std::size_t>(pes), kOwnPartition) {
  for (int pe = 0; pe < pes; ++pe) {
    const Rect has = tiles(pe);
    MatrixLayout part = shape;
    part.rows = std::min(shape.rows, has.rows.end * shape.tile_rows) - has.rows.begin * shape.tile_rows;
    part.columns =
        std::min(shape.columns, has.columns.end * shape.tile_columns) - has.columns.begin * shape.tile_columns;
    if (has.empty()) part.rows = part.columns = 0;
    parts_.push_back(part);
  }
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
