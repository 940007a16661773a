// One step of a tile plan: what the PE's units have to do for one tile, without a word about the problem it belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/epilogue.hpp"
#include "sim/plan/matrix_layout.hpp"

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
  std::int64_t first_column = 0;  ///< of the whole result
  Block block;                    ///< where it goes: to a memory, or into a buffer in TCM
  std::int64_t in_block = 0;      ///< which of its register block (6.15)
  bool adds_sum = false;          ///< what was kept of it is added to it (32.6),
  bool accumulates = false;       ///< or it is added to that by store, where it is kept
  bool keeps_sum = false;         ///< it is a sum that is kept in TCM, to be added later
};

struct TileStep {
  std::int64_t tile = 0;  ///< index in the plan
  TileIndex index;
  std::int64_t inner = 0;           ///< valid elements along K
  std::array<Block, 2> operands{};  ///< A and B: in TCM, or in a memory from which they are brought for this tile alone
  std::int32_t operand_count = 2;
  Block auxiliary{};          ///< of the last step: what its output is multiplied by, or added to, in TCM (6.12)
  Block sum{};                ///< of the last step: what was kept of its output, in TCM, where it is added (32.6)
  bool awaits_sum = false;    ///< which an earlier composite has to have stored there first
  std::int32_t slot = 0;      ///< stream-buffer slot that holds what is brought
  Bytes fetch_bytes = 0;      ///< valid operand bytes, TCM to operand registers, but of what is in them already
  Cycles convert_cycles = 0;  ///< vector unit, before the array, which takes B as A's dtype (34.8); 0: as it is
  std::int64_t macs = 0;      ///< MACs of the array, padding included where a tile is padded; 0 bypasses the array
  Cycles vector_cycles = 0;   ///< vector unit, after the array; 0 bypasses the unit
  std::int64_t vector_operations = 0;  ///< on single elements, conversion included
  std::int64_t conversions = 0;        ///< of these, those of the conversion
  bool first = false;                  ///< of its output tile
  bool last = false;
  bool partial = false;  ///< its product goes to the vector unit, which adds it up itself
  OutputTile output;     ///< rows, columns: of every step; block: of the last

  [[nodiscard]] bool streams(std::int32_t operand) const {
    return operand < operand_count && operands[static_cast<std::size_t>(operand)].memory != kOwnTcm;
  }
  /// Operands that are brought for this tile alone, and their bytes.
  [[nodiscard]] std::int32_t streamed() const { return (streams(0) ? 1 : 0) + (streams(1) ? 1 : 0); }
  /// MACs whose operands are valid.
  [[nodiscard]] std::int64_t valid_macs() const { return macs == 0 ? 0 : output.rows * inner * output.columns; }
  [[nodiscard]] Bytes streamed_bytes() const {
    return (streams(0) ? operands[0].bytes() : 0) + (streams(1) ? operands[1].bytes() : 0);
  }
};

/// What a composite computes of its operands: their product or, element by element, an operation; and what follows.
struct TileWork {
  std::optional<VectorOp> element_wise;
  std::vector<Epilogue> epilogues;
  MatrixLayout bias;  ///< in TCM, where an epilogue adds one
};

/// One of the loops in which a plan takes its tiles. Turns of it, the first and the last apart, differ in addresses
/// alone (adr/0047).
struct TileLoop {
  std::int64_t count = 1;
  std::array<Bytes, 2> strides{};  ///< of what is read or written in a memory: from one turn to the next
};

/// A composite as the PE scheduler sees it. `step(t)` is a pure function for t = 0 … tiles-1.
struct TilePlan {
  std::string name;
  std::int64_t tiles = 0;
  std::int64_t outputs = 0;
  Bytes stages = 0;  ///< of TCM: what holds streamed operands and finished outputs while it runs
  TileWork work;
  std::vector<MatrixLayout> resident;  ///< operands that it reads in TCM, bias and auxiliary matrix included
  std::function<TileStep(std::int64_t)> step;
  /// From the outermost; nothing where turns differ otherwise.
  std::vector<TileLoop> loops{};
};

}  // namespace kernbench
