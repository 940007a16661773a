// What steps and whole products take on the MAC array (adr/0031-the-mac-array.md).
#pragma once

#include "sim/machine/array_cycles.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

[[nodiscard]] inline ArrayCycles array_cycles(const MacArraySpec& array, const TileStep& step) {
  return array_cycles(array, {step.output.rows, step.inner, step.output.columns}, step.last || step.partial,
                      step.operands[0].dtype);
}

/// Time for which the array is occupied by a product of `size` elements, its tiles one after the other and none waited
/// for: the least that a run takes. `partials`: every tile's product leaves the array.
[[nodiscard]] Picoseconds array_work(const PeSpec& pe, const TileShape& size, bool partials,
                                     Dtype dtype = Dtype::kBf16);

/// The least for which it is occupied if that product is done in parts, of `block_k` elements along K, whose products
/// leave it, in any order of its other dimensions: loads of weights that may be hidden are left out.
[[nodiscard]] Picoseconds array_work_in_blocks(const PeSpec& pe, const TileShape& size, std::int64_t block_k,
                                               bool partials, Dtype dtype);

}  // namespace kernbench
