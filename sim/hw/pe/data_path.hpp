// What a functional check hears from a PE: each move and each product, at the instant at which the timed one is done.
#pragma once

#include <cstdint>

#include "sim/hw/pe/array_result.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

struct Transfer;

/// All calls come in the order of simulated time (ADR-0015). Buffers are named as the hardware names them: stream slot,
/// operand register set, accumulator set, output slot.
class DataPath {
 public:
  virtual ~DataPath() = default;
  /// A transfer into TCM is complete: a whole matrix, or a streamed operand of a tile.
  virtual void arrived(const Transfer& transfer) = 0;
  /// The operands were copied from TCM to a register set.
  virtual void fetched(const TileStep& step, std::int64_t registers) = 0;
  /// The array has consumed a register set: the product is in an accumulator or partial set.
  virtual void multiplied(const TileStep& step, std::int64_t registers, std::int64_t set) = 0;
  /// The vector unit has worked on an accumulator set in place, or on a partial product into a sum set.
  virtual void transformed(const ArrayResult& result) = 0;
  /// An accumulator or sum set was written to an output slot as bf16.
  virtual void stored(const ArrayResult& result, std::int64_t slot) = 0;
  /// The last byte of a transfer has left the TCM: the oldest output slot not yet sent, or a resident matrix.
  virtual void sent(const Transfer& transfer) = 0;
};

}  // namespace kernbench
