// A dataflow, a function: sums over the folds of a tile, the pieces of it that the array takes at a time.
#include "sim/machine/array_cycles.hpp"

#include <algorithm>
#include <string>

#include "sim/base/errors.hpp"

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

/// For `work` MACs where `count` of bf16, times the rate, are done in one.
Cycles cycles_of(std::int64_t work, std::int64_t count, std::int64_t rate) {
  return ceil_div(work * MacRates::kOne, count * rate);
}

ArrayCycles dot_product(const MacArraySpec& array, const TileShape& valid, std::int64_t steps, std::int64_t rate) {
  const TileShape& tile = array.tile;
  if (!array.has_shape()) return {.multiply = cycles_of(tile.m * tile.k * tile.n, array.macs_per_cycle, rate)};
  return {.multiply = ceil_div(valid.m, array.rows) * ceil_div(valid.n, array.columns) * steps};
}

ArrayCycles output_stationary(const MacArraySpec& array, const TileShape& valid, std::int64_t steps, bool leaves) {
  const Folds rows(valid.m, array.rows);
  const Folds columns(valid.n, array.columns);
  const std::int64_t folds = rows.count * columns.count;
  const Cycles streamed = folds * steps;
  if (folds == 1 && !leaves) return {.multiply = streamed};
  // A fold of r x c: r + c - 2 of skew, r until its rows are empty.
  return {.multiply = streamed + 2 * valid.m * columns.count + valid.n * rows.count - 2 * folds,
          .drain = array.rows - rows.last};
}

/// The weights of a fold are loaded when the last cell has done with those before.
ArrayCycles weight_stationary(const MacArraySpec& array, const TileShape& valid, std::int64_t steps) {
  const Folds rows(steps, array.rows);
  const Folds columns(valid.n, array.columns);
  const std::int64_t folds = rows.count * columns.count;
  // A fold of r x c: r to load its weights, a cycle a row of A, r + c - 2 of skew.
  return {.multiply = folds * (valid.m - 2) + 2 * steps * columns.count + valid.n * rows.count,
          .drain = array.rows - rows.last};
}

/// The weights of a fold follow those before from cell to cell, a second set behind the first.
ArrayCycles double_buffered(const MacArraySpec& array, const TileShape& valid, std::int64_t steps) {
  const Folds rows(steps, array.rows);
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

void expect_rate(const MacArraySpec& array, Dtype dtype) {
  if (array.rates.of(dtype) > 0) return;
  const std::string name(name_of(dtype));
  throw ConfigError("dtype " + name + ": the machine's MAC array has no rate for it: expected pe.mac.rates." + name +
                    ", its multiply-accumulates in a cycle as a multiple of those of bf16, in the machine file, or "
                    "--set pe.mac.rates." +
                    name + "=1");
}

Cycles cycles_at_peak(const MacArraySpec& array, std::int64_t macs, Dtype dtype) {
  expect_rate(array, dtype);
  return ceil_mul_div(macs, MacRates::kOne, array.peak_macs() * array.rates.of(dtype));
}

ArrayCycles array_cycles(const MacArraySpec& array, const TileShape& valid, bool leaves, Dtype dtype) {
  expect_rate(array, dtype);
  const std::int64_t rate = array.rates.of(dtype);
  const std::int64_t steps = cycles_of(valid.k, array.depth, rate);  // of K
  if (array.dataflow == Dataflow::kDotProduct) return dot_product(array, valid, steps, rate);
  if (array.dataflow == Dataflow::kOutputStationary) return output_stationary(array, valid, steps, leaves);
  return array.weight_buffers > 1 ? double_buffered(array, valid, steps) : weight_stationary(array, valid, steps);
}

Cycles PeSpec::tile_cycles() const {
  const ArrayCycles whole = array_cycles(mac, mac.tile, true);
  return whole.load + whole.multiply;
}

}  // namespace kernbench
