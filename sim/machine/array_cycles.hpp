// What one tile takes on the MAC array, in cycles (adr/0031-the-mac-array.md).
#pragma once

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// In the order in which they follow each other. How long the array is occupied and when the result is there are two
/// things: the next tile waits for the first alone.
struct ArrayCycles {
  Cycles load = 0;      ///< to load the tile's first weights, which may be while the tile before is worked on
  Cycles multiply = 0;  ///< from then on, until the array can take the next tile
  Cycles hides = 0;     ///< the last of `multiply`, in which the next tile's weights may be loaded
  Cycles drain = 0;     ///< after `multiply`, until the last result has left the array
  bool operator==(const ArrayCycles&) const = default;
};

/// Of a tile of `valid` elements, 1 or more along each dimension. `leaves`: its product leaves the array; that of an
/// output's other tiles may stay in it. Throws ConfigError where the array has no rate for operands of `dtype` (34.4).
[[nodiscard]] ArrayCycles array_cycles(const MacArraySpec& array, const TileShape& valid, bool leaves,
                                       Dtype dtype = Dtype::kBf16);

/// Cycles of `macs` MACs of a dtype at the array's peak, rounded up once. Throws ConfigError as array_cycles().
[[nodiscard]] Cycles cycles_at_peak(const MacArraySpec& array, std::int64_t macs, Dtype dtype);

/// Throws ConfigError, which names the key that would give it one, where the array has no rate for operands of `dtype`.
void expect_rate(const MacArraySpec& array, Dtype dtype);

}  // namespace kernbench
