// What the MAC array hands on.
#pragma once

#include <cstdint>

#include "sim/engine/reason.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// A finished output tile in an accumulator set; or the partial product of one K tile in a partial set, which the
/// vector unit adds to a running sum in a sum set.
struct ArrayResult {
  OutputTile output;
  Cycles vector_cycles = 0;
  bool partial = false;
  bool first = false;  ///< of its output tile
  bool last = false;
  std::int32_t composite = 0;
  std::int64_t set = 0;  ///< accumulator set, or partial set of a partial product
  std::int64_t sum = 0;  ///< sum set of a partial product; set by the vector unit
  Picoseconds ready{};   ///< when it was handed on
  Reason reason = kNoReason;
};

}  // namespace kernbench
