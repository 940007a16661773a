// One step of a tile plan: what the PE's units have to do for one tile, without a word about the problem it belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "sim/plan/block.hpp"

namespace kernbench {

/// Which block of the problem a tile is: row of A and C, column of B and C, step along K.
struct TileIndex {
  std::int64_t i = 0;
  std::int64_t j = 0;
  std::int64_t k = 0;
  bool operator==(const TileIndex&) const = default;
};

/// The result that leaves the PE after the last step of an output tile.
struct OutputTile {
  TileIndex index;
  std::int64_t tile = 0;  ///< the plan index of its last step
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Block block;  ///< where it goes in HBM
};

struct TileStep {
  std::int64_t tile = 0;  ///< index in the plan
  TileIndex index;
  std::int64_t inner = 0;          ///< valid elements along K
  std::array<Block, 2> streams{};  ///< operand blocks to bring from HBM for this tile alone, in this order
  std::int32_t stream_count = 0;
  std::array<bool, 2> second{};  ///< of each stream: it is an operand B, not A
  std::int32_t slot = 0;         ///< stream-buffer slot that holds them
  Bytes fetch_bytes = 0;         ///< valid operand bytes, TCM to operand registers
  std::int64_t macs = 0;         ///< MACs of the array, padding included; 0 bypasses the array
  Cycles vector_cycles = 0;      ///< vector unit, after the array; 0 bypasses the unit
  bool first = false;            ///< of its output tile
  bool last = false;
  bool partial = false;  ///< its product goes to the vector unit, which adds it up itself
  OutputTile output;     ///< rows, columns: of every step; block: of the last
};

/// A composite as the PE scheduler sees it. `step(t)` is a pure function for t = 0 … tiles-1.
struct TilePlan {
  std::string name;
  std::int64_t tiles = 0;
  std::int64_t outputs = 0;
  std::function<TileStep(std::int64_t)> step;
};

}  // namespace kernbench
