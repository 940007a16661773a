#include "tests/system/calculator_array.hpp"

#include <algorithm>
#include <vector>

namespace kernbench::calculator {
namespace {

std::vector<std::int64_t> cut(std::int64_t size, std::int64_t most) {
  std::vector<std::int64_t> pieces;
  for (; size > 0; size -= pieces.back()) pieces.push_back(std::min(size, most));
  return pieces;
}

/// Cycles until `all` MACs are done, so many millionths in each.
Cycles until_done(std::int64_t all, std::int64_t in_a_cycle) {
  const std::int64_t millionths = all * 1'000'000;
  Cycles cycles = millionths / in_a_cycle;
  while (cycles * in_a_cycle < millionths) ++cycles;
  return cycles;
}

/// 31.3; `inner` cycles for all of K.
ArrayUse dot_product(const MacArraySpec& array, const TileShape& valid, Cycles inner, std::int64_t rate) {
  ArrayUse use;
  if (array.rows == 0) {
    use.work = until_done(array.tile.m * array.tile.n * array.tile.k, array.macs_per_cycle * rate);
    return use;
  }
  for (std::size_t rows = cut(valid.m, array.rows).size(); rows > 0; --rows) {
    for (std::size_t columns = cut(valid.n, array.columns).size(); columns > 0; --columns) {
      use.work += inner;
    }
  }
  return use;
}

/// 31.4, 31.5: folds one after the other, none of which begins before the one before has been left.
ArrayUse one_by_one(const MacArraySpec& array, const TileShape& valid, Cycles inner, bool stays) {
  const bool weights = array.dataflow == Dataflow::kWeightStationary;
  const std::vector<std::int64_t> rows = cut(weights ? inner : valid.m, array.rows);
  const std::vector<std::int64_t> columns = cut(valid.n, array.columns);
  const std::int64_t streamed = weights ? valid.m : inner;
  ArrayUse use;
  if (!weights && stays && rows.size() * columns.size() == 1) {
    use.work = streamed;
    return use;
  }
  for (const std::int64_t c : columns) {
    for (const std::int64_t r : rows) {
      use.work += 2 * r + c + streamed - 2;
      use.drain = array.rows - r;
    }
  }
  return use;
}

/// 31.6: instants counted from the first row of A of the tile.
ArrayUse one_behind_the_other(const MacArraySpec& array, const TileShape& valid, Cycles inner) {
  ArrayUse use;
  Cycles begins = 0;
  Cycles left = 0;
  bool first = true;
  for (const std::int64_t c : cut(valid.n, array.columns)) {
    for (const std::int64_t r : cut(inner, array.rows)) {
      if (first) use.load = r;
      if (!first) begins += std::max(valid.m, r);
      first = false;
      left = std::max(left, begins + valid.m + array.rows + c - 2);
    }
  }
  use.work = begins + valid.m;
  use.last_stream = valid.m;
  use.drain = left - use.work;
  return use;
}

}  // namespace

ArrayUse use_of(const MacArraySpec& array, const TileShape& valid, bool last, std::int64_t rate) {
  const Cycles inner = until_done(valid.k, array.depth * rate);
  if (array.dataflow == Dataflow::kDotProduct) return dot_product(array, valid, inner, rate);
  const bool two = array.dataflow == Dataflow::kWeightStationary && array.weight_buffers == 2;
  return two ? one_behind_the_other(array, valid, inner) : one_by_one(array, valid, inner, !last);
}

}  // namespace kernbench::calculator
