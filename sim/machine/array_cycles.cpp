// A dataflow, a function: sums over the folds of a tile, the pieces of it that the array takes at a time.
#include "sim/machine/array_cycles.hpp"

#include <algorithm>

namespace kernbench {
namespace {

/// A dimension of a tile cut by that of the array: `count` folds, all of them of the array's size but the last.
struct Folds {
  Folds(std::int64_t size, std::int64_t most)
      : count(ceil_div(size, most)), first(std::min(size, most)), last(size - (count - 1) * most) {}
  std::int64_t count;
  std::int64_t first;
  std::int64_t last;
};

ArrayCycles dot_product(const MacArraySpec& array, const TileShape& valid) {
  if (!array.has_shape()) {
    return {.multiply = ceil_div(array.tile.m * array.tile.k * array.tile.n, array.macs_per_cycle)};
  }
  return {.multiply =
              ceil_div(valid.m, array.rows) * ceil_div(valid.n, array.columns) * ceil_div(valid.k, array.depth)};
}

ArrayCycles output_stationary(const MacArraySpec& array, const TileShape& valid, bool leaves) {
  const Folds rows(valid.m, array.rows);
  const Folds columns(valid.n, array.columns);
  const std::int64_t folds = rows.count * columns.count;
  const Cycles streamed = folds * ceil_div(valid.k, array.depth);
  if (folds == 1 && !leaves) return {.multiply = streamed};
  // A fold of r x c: r + c - 2 of skew, r until its rows are empty.
  return {.multiply = streamed + 2 * valid.m * columns.count + valid.n * rows.count - 2 * folds,
          .drain = array.rows - rows.last};
}

/// The weights of a fold are loaded when the last cell has done with those before.
ArrayCycles weight_stationary(const MacArraySpec& array, const TileShape& valid) {
  const std::int64_t inner = ceil_div(valid.k, array.depth);
  const Folds rows(inner, array.rows);
  const Folds columns(valid.n, array.columns);
  const std::int64_t folds = rows.count * columns.count;
  // A fold of r x c: r to load its weights, a cycle a row of A, r + c - 2 of skew.
  return {.multiply = folds * (valid.m - 2) + 2 * inner * columns.count + valid.n * rows.count,
          .drain = array.rows - rows.last};
}

/// The weights of a fold follow those before from cell to cell, a second set behind the first.
ArrayCycles double_buffered(const MacArraySpec& array, const TileShape& valid) {
  const Folds rows(ceil_div(valid.k, array.depth), array.rows);
  const Folds columns(valid.n, array.columns);
  const Cycles streamed = valid.m;
  const auto turn = [streamed](std::int64_t loaded) { return std::max(streamed, loaded); };
  const Cycles column = (rows.count - 1) * turn(array.rows) + turn(rows.last);
  // The last column of cells may be done with a narrow last fold before it is with the fold before.
  const Cycles before = columns.count > 1 ? array.columns - column : 0;
  return {.load = rows.first,
          .multiply = columns.count * column - turn(rows.first) + streamed,
          .hides = streamed,
          .drain = array.rows + std::max(columns.last, before) - 2};
}

}  // namespace

ArrayCycles array_cycles(const MacArraySpec& array, const TileShape& valid, bool leaves) {
  if (array.dataflow == Dataflow::kDotProduct) return dot_product(array, valid);
  if (array.dataflow == Dataflow::kOutputStationary) return output_stationary(array, valid, leaves);
  return array.weight_buffers > 1 ? double_buffered(array, valid) : weight_stationary(array, valid);
}

Cycles PeSpec::tile_cycles() const {
  const ArrayCycles whole = array_cycles(mac, mac.tile, true);
  return whole.load + whole.multiply;
}

}  // namespace kernbench
