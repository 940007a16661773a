// The calculator's MAC array (ADR-0031): fold by fold, where the program has sums.
#pragma once

#include "sim/machine/machine_spec.hpp"

namespace kernbench::calculator {

/// What a tile takes, in cycles.
struct ArrayUse {
  Cycles load = 0;         ///< of the first weights, where they may come early
  Cycles work = 0;         ///< then, until the next tile may follow
  Cycles last_stream = 0;  ///< of which the last, while the next weights may come
  Cycles drain = 0;        ///< then, until its results have left
};

/// Of a tile of `valid` elements, the last of its output or not; the array multiplies `rate` millionths of what it
/// does of bf16 (34.4).
ArrayUse use_of(const MacArraySpec& array, const TileShape& valid, bool last, std::int64_t rate);

}  // namespace kernbench::calculator
