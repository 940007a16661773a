// A matrix spread over devices: tiles by partition, the whole set of tiles again in each replica (ADR-0023).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"

namespace kernbench {

/// Elements begin … end-1 of a dimension.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr bool operator==(const Interval&) const = default;
  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
};

/// What both have; empty where they have nothing in common.
constexpr Interval common(Interval a, Interval b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Piece `index` of 0 … size-1 cut into `pieces` of ceil(size / pieces) elements: the last ones may be short or empty.
constexpr Interval piece_of(std::int64_t size, std::int64_t pieces, std::int64_t index) {
  const std::int64_t step = (size + pieces - 1) / pieces;
  return {std::min(size, index * step), std::min(size, (index + 1) * step)};
}

/// A rectangle of a matrix.
struct Rect {
  Interval rows;
  Interval columns;
  constexpr bool operator==(const Rect&) const = default;
  [[nodiscard]] constexpr std::int64_t elements() const { return rows.size() * columns.size(); }
  [[nodiscard]] constexpr bool empty() const { return rows.empty() || columns.empty(); }
};

constexpr Rect common(const Rect& a, const Rect& b) { return {common(a.rows, b.rows), common(a.columns, b.columns)}; }

/// `rect` of the matrix in the rows and columns of `tile`.
constexpr Rect within(const Rect& rect, const Rect& tile) {
  const auto from = [](Interval interval, std::int64_t origin) {
    return Interval{interval.begin - origin, interval.end - origin};
  };
  return {from(rect.rows, tile.rows.begin), from(rect.columns, tile.columns.begin)};
}

constexpr Rect at_origin(const Rect& rect) { return within(rect, rect); }

/// How a matrix is cut: into as many groups of rows or columns as a replica has devices, or into blocks of a grid whose
/// sides are the closest factors of that number, rows >= columns.
enum class Partition : std::uint8_t { kRow, kColumn, kBlock };
inline constexpr Names<Partition> kPartitions{
    "partition", {{Partition::kRow, "row"}, {Partition::kColumn, "column"}, {Partition::kBlock, "block"}}};

/// rows x columns elements on `devices` devices. Replica r holds all tiles, on devices r * tiles() to (r+1) * tiles() -
/// 1 (the replica is the outer dimension of the mesh); tile (i, j) has index i * grid_columns() + j in it.
class DistributedMatrix {
 public:
  /// Blocks on a grid of `grid_rows` rows, which divide the tiles; 0: of the closest factors. Throws ConfigError, which
  /// names `option`, unless replication divides devices.
  DistributedMatrix(std::int64_t rows, std::int64_t columns, Partition partition, int replication, int devices,
                    std::string_view option, int grid_rows = 0);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] std::int64_t elements() const { return rows_ * columns_; }
  [[nodiscard]] Partition partition() const { return partition_; }
  [[nodiscard]] int replication() const { return replication_; }
  [[nodiscard]] int tiles() const { return grid_rows_ * grid_columns_; }  ///< of a replica
  [[nodiscard]] int grid_rows() const { return grid_rows_; }
  [[nodiscard]] int grid_columns() const { return grid_columns_; }

  /// What tile `index` holds; empty at the end of a dimension that is too short.
  [[nodiscard]] Rect tile(int index) const;
  /// Indices of the tiles that share elements with `rect`, in order.
  [[nodiscard]] std::vector<int> tiles_in(const Rect& rect) const;

  [[nodiscard]] int tile_of(int device) const { return device % tiles(); }
  [[nodiscard]] int replica_of(int device) const { return device / tiles(); }
  [[nodiscard]] int owner(int tile, int replica) const { return replica * tiles() + tile; }
  /// Who holds tile `tile` of the replica that `device` belongs to.
  [[nodiscard]] int owner_for(int device, int tile) const { return owner(tile, replica_of(device)); }

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  Partition partition_;
  int replication_;
  int grid_rows_ = 1;
  int grid_columns_ = 1;
};

}  // namespace kernbench
