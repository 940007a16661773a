#include "sim/plan/collective/rank_grid.hpp"

#include <cstddef>

namespace kernbench {

namespace {

/// There and back in turn over columns [first_column, columns) of rows [first_row, rows); the first row goes forwards
/// where `forwards` says so.
void snake(std::vector<GridCell>& cells, GridShape shape, GridCell first, bool forwards) {
  for (std::int32_t row = first.row; row < shape.rows; ++row, forwards = !forwards) {
    for (std::int32_t i = first.column; i < shape.columns; ++i) {
      cells.push_back({row, forwards ? i : shape.columns - 1 - i + first.column});
    }
  }
}

/// For an even number of rows: row 0, the others there and back without column 0, and home through column 0.
std::vector<GridCell> cycle(GridShape shape) {
  std::vector<GridCell> cells;
  snake(cells, {1, shape.columns}, {0, 0}, true);
  snake(cells, shape, {1, 1}, false);
  for (std::int32_t row = shape.rows - 1; row > 0; --row) cells.push_back({row, 0});
  return cells;
}

std::vector<GridCell> cells_in_order(GridShape shape) {
  const bool line = shape.rows == 1 || shape.columns == 1;
  if (!line && shape.rows % 2 == 0) return cycle(shape);
  if (!line && shape.columns % 2 == 0) {
    std::vector<GridCell> cells = cycle({shape.columns, shape.rows});
    for (GridCell& cell : cells) cell = {cell.column, cell.row};
    return cells;
  }
  std::vector<GridCell> cells;
  snake(cells, shape, {0, 0}, true);
  return cells;
}

}  // namespace

std::vector<std::int32_t> neighbour_order(GridShape shape) {
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(shape.size()));
  for (const GridCell& cell : cells_in_order(shape)) order.push_back(shape.index(cell));
  return order;
}

std::vector<std::int32_t> ring_order(const RankGrid& grid) {
  const std::vector<std::int32_t> packages = neighbour_order(grid.packages);
  const std::vector<std::int32_t> dies = neighbour_order(grid.dies);
  const std::vector<std::int32_t> pes = neighbour_order(grid.pes);
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(grid.size()));
  for (const std::int32_t package : packages) {
    for (const std::int32_t die : dies) {
      for (const std::int32_t pe : pes) order.push_back(grid.rank({package, die, pe}));
    }
  }
  return order;
}

}  // namespace kernbench
