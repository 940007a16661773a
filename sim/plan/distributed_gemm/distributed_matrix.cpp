#include "sim/plan/distributed_gemm/distributed_matrix.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

/// The largest divisor of `value` that is not above its square root.
int smaller_side(int value) {
  int side = 1;
  for (int i = 2; i * i <= value; ++i) {
    if (value % i == 0) side = i;
  }
  return side;
}

}  // namespace

DistributedMatrix::DistributedMatrix(std::int64_t rows, std::int64_t columns, Partition partition, int replication,
                                     int devices, std::string_view option, int grid_rows)
    : rows_(rows), columns_(columns), partition_(partition), replication_(replication) {
  if (replication < 1 || devices % replication != 0) {
    throw ConfigError(std::string(option) + " is " + std::to_string(replication) + ": expected a divisor of the " +
                      std::to_string(devices) + " devices");
  }
  const int tiles = devices / replication;
  const int side = grid_rows > 0 ? tiles / grid_rows : smaller_side(tiles);
  grid_columns_ = partition == Partition::kRow ? 1 : partition == Partition::kColumn ? tiles : side;
  grid_rows_ = tiles / grid_columns_;
}

Rect DistributedMatrix::tile(int index) const {
  return {piece_of(rows_, grid_rows_, index / grid_columns_), piece_of(columns_, grid_columns_, index % grid_columns_)};
}

std::vector<int> DistributedMatrix::tiles_in(const Rect& rect) const {
  std::vector<int> indices;
  if (rect.empty()) return indices;
  const std::int64_t tile_rows = tile(0).rows.size();
  const std::int64_t tile_columns = tile(0).columns.size();
  for (std::int64_t i = rect.rows.begin / tile_rows; i * tile_rows < rect.rows.end; ++i) {
    for (std::int64_t j = rect.columns.begin / tile_columns; j * tile_columns < rect.columns.end; ++j) {
      indices.push_back(static_cast<int>(i * grid_columns_ + j));
    }
  }
  return indices;
}

}  // namespace kernbench
