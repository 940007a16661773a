// Tiles have at most two sizes along each dimension: whole ones, and what is left.
#include "sim/plan/array_work.hpp"

#include <algorithm>
#include <array>

namespace kernbench {
namespace {

struct Pieces {
  std::int64_t count = 0;
  std::int64_t size = 0;
};

std::array<Pieces, 2> pieces(std::int64_t size, std::int64_t tile) {
  return {{{size / tile, tile}, {size % tile == 0 ? 0 : 1, size % tile}}};
}

/// Behind another tile of as many rows.
Picoseconds behind(const PeSpec& pe, const ArrayCycles& cycles) {
  const Picoseconds load = pe.clock.time_for(cycles.load);
  return load - std::min(load, pe.clock.time_for(cycles.hides)) + pe.clock.time_for(cycles.multiply);
}

}  // namespace

Picoseconds array_work(const PeSpec& pe, const TileShape& size, bool partials, Dtype dtype) {
  const TileShape& tile = pe.mac.tile;
  const std::int64_t k_tiles = ceil_div(size.k, tile.k);
  const std::int64_t last_k = size.k - (k_tiles - 1) * tile.k;
  Picoseconds sum;
  for (const Pieces& m : pieces(size.m, tile.m)) {
    for (const Pieces& n : pieces(size.n, tile.n)) {
      if (m.count == 0 || n.count == 0) continue;
      const Picoseconds inner = behind(pe, array_cycles(pe.mac, {m.size, tile.k, n.size}, partials, dtype));
      const Picoseconds last = behind(pe, array_cycles(pe.mac, {m.size, last_k, n.size}, true, dtype));
      sum += m.count * (n.count * ((k_tiles - 1) * inner + last));
    }
  }
  // The first weights hide behind nothing. Those of an output of fewer rows hide behind the rows of the output before;
  // together that is as if the first ones had hidden behind the last rows.
  const std::int64_t last_m = size.m - (ceil_div(size.m, tile.m) - 1) * tile.m;
  const TileShape first{last_m, std::min(size.k, tile.k), std::min(size.n, tile.n)};
  const ArrayCycles cycles = array_cycles(pe.mac, first, true, dtype);
  return sum + std::min(pe.clock.time_for(cycles.load), pe.clock.time_for(cycles.hides));
}

Picoseconds array_work_in_blocks(const PeSpec& pe, const TileShape& size, std::int64_t block_k, bool partials,
                                 Dtype dtype) {
  const TileShape& tile = pe.mac.tile;
  const auto least = [&pe](const ArrayCycles& cycles) {
    return pe.clock.time_for(cycles.multiply) + (cycles.hides == 0 ? pe.clock.time_for(cycles.load) : Picoseconds{});
  };
  Picoseconds sum;
  for (const Pieces& m : pieces(size.m, tile.m)) {
    for (const Pieces& n : pieces(size.n, tile.n)) {
      for (const Pieces& block : pieces(size.k, block_k)) {
        if (m.count == 0 || n.count == 0 || block.count == 0) continue;
        const std::int64_t k_tiles = ceil_div(block.size, tile.k);
        const std::int64_t last_k = block.size - (k_tiles - 1) * tile.k;
        const Picoseconds inner = least(array_cycles(pe.mac, {m.size, tile.k, n.size}, partials, dtype));
        const Picoseconds last = least(array_cycles(pe.mac, {m.size, last_k, n.size}, true, dtype));
        sum += m.count * (n.count * (block.count * ((k_tiles - 1) * inner + last)));
      }
    }
  }
  return sum;
}

}  // namespace kernbench
