#include "sim/plan/register_blocks.hpp"

#include <algorithm>
#include <vector>

#include "sim/plan/dimension.hpp"

namespace kernbench {
namespace {

/// Blocks that have as many tiles along a side.
struct Alike {
  std::int64_t tiles = 0;  ///< of each
  std::int64_t count = 0;
  std::int64_t lines = 0;  ///< of all together
};

/// Pieces are alike but for the last, and so are blocks of a piece.
std::vector<Alike> blocks_along(const LinesOfTiles& lines, std::int64_t most) {
  const std::int64_t tiles = ceil_div(lines.all, lines.tile);
  std::vector<Alike> blocks;
  const auto add = [&](std::int64_t of_tiles, std::int64_t count) {
    if (of_tiles > 0 && count > 0) blocks.push_back({of_tiles, count, of_tiles * count * lines.tile});
  };
  const auto cut = [&](std::int64_t piece, std::int64_t count) {
    add(most, count * (piece / most));
    add(piece % most, count);
  };
  cut(lines.piece, tiles / lines.piece);
  cut(tiles % lines.piece, 1);
  blocks.back().lines -= tiles * lines.tile - lines.all;  // the last tile
  return blocks;
}

/// Of the side that stays in the registers where the other one is at least as long.
bool stays_a(std::int64_t rows, std::int64_t columns) { return columns >= rows; }

}  // namespace

RegisterBlocks::Place RegisterBlocks::at(std::int64_t t) const {
  const std::int64_t of_rows = block_.rows * tiles_.inner * tiles_.columns;
  const std::int64_t first_row = t / of_rows * block_.rows;
  const std::int64_t rows = std::min(block_.rows, tiles_.rows - first_row);
  const std::int64_t in_rows = t % of_rows;
  const std::int64_t of_block = rows * tiles_.inner * block_.columns;
  const std::int64_t first_column = in_rows / of_block * block_.columns;
  const std::int64_t columns = std::min(block_.columns, tiles_.columns - first_column);
  const std::int64_t number = in_rows % of_block;
  Place place;
  place.in_block = number % (rows * columns);
  const bool by_rows = stays_a(rows, columns);
  const std::int64_t row = by_rows ? place.in_block / columns : place.in_block % rows;
  const std::int64_t column = by_rows ? place.in_block % columns : place.in_block / rows;
  place.index = {first_row + row, first_column + column, number / (rows * columns)};
  place.has_a = by_rows && column > 0;
  place.has_b = !by_rows && row > 0;
  return place;
}

std::int64_t RegisterBlocks::first_complete() const {
  return (tiles_.inner - 1) * std::min(block_.rows, tiles_.rows) * std::min(block_.columns, tiles_.columns);
}

FetchedLines fetched_lines(const RegisterBlock& block, const LinesOfTiles& rows, const LinesOfTiles& columns,
                           bool keeps_a, bool keeps_b) {
  FetchedLines fetched;
  for (const Alike& high : blocks_along(rows, block.rows)) {
    for (const Alike& wide : blocks_along(columns, block.columns)) {
      const bool a = stays_a(high.tiles, wide.tiles);
      fetched.rows += high.lines * wide.count * (a && keeps_a ? 1 : wide.tiles);
      fetched.columns += wide.lines * high.count * (!a && keeps_b ? 1 : high.tiles);
    }
  }
  return fetched;
}

}  // namespace kernbench
