// The calculator's matrices: see calculator_layout.hpp.
#include "tests/system/calculator_layout.hpp"

#include <algorithm>

namespace kernbench::calculator {

std::vector<Packet> packets_of(const std::vector<Block>& blocks, const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;
  const std::int64_t per_packet = machine.simulation.packet / burst;
  std::vector<Packet> packets;
  for (Block block : blocks) {
    if (block.stride == block.row_bytes) {  // rows without a gap count as one row
      block.row_bytes *= block.rows;
      block.rows = 1;
    }
    std::int64_t last_moved = -1;
    for (std::int64_t row = 0; row < block.rows; ++row) {
      const Bytes from = block.address + row * block.stride;
      std::int64_t first = from / burst;
      const std::int64_t last = (from + block.row_bytes - 1) / burst;
      if (first == last_moved) ++first;  // 4.4
      for (; first <= last; first += per_packet) packets.push_back({first, std::min(per_packet, last - first + 1)});
      last_moved = last;
    }
  }
  return packets;
}

std::int64_t Matrix::valid_rows(std::int64_t index) const { return std::min(tile_rows, rows - index * tile_rows); }
std::int64_t Matrix::valid_columns(std::int64_t index) const {
  return std::min(tile_columns, columns - index * tile_columns);
}
Bytes Matrix::tile_bytes(std::int64_t row, std::int64_t column) const {
  return valid_rows(row) * valid_columns(column) * element;
}
Bytes Matrix::slot_bytes() const { return ceil_div(tile_rows * tile_columns * element, burst) * burst; }

Bytes Matrix::end() const {
  if (row_major) return address + bytes();
  return address + ceil_div(rows, tile_rows) * ceil_div(columns, tile_columns) * slot_bytes();
}

Block Matrix::tile(std::int64_t row, std::int64_t column) const {
  if (row_major) {
    const Bytes at = address + (row * tile_rows * columns + column * tile_columns) * element;
    return {at, valid_rows(row), valid_columns(column) * element, columns * element};
  }
  const std::int64_t slot = row * ceil_div(columns, tile_columns) + column;
  const Bytes packed = tile_bytes(row, column);
  return {address + slot * slot_bytes(), 1, packed, packed};
}

std::vector<Block> Matrix::whole() const {
  if (row_major) return {{address, 1, bytes(), bytes()}};
  std::vector<Block> tiles;
  for (std::int64_t row = 0; row * tile_rows < rows; ++row)
    for (std::int64_t column = 0; column * tile_columns < columns; ++column) tiles.push_back(tile(row, column));
  const bool full =
      std::all_of(tiles.begin(), tiles.end(), [&](const Block& t) { return t.row_bytes == slot_bytes(); });
  if (full) return {{address, 1, bytes(), bytes()}};
  return tiles;
}

}  // namespace kernbench::calculator
