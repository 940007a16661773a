// The calculator's kernels: which calls they make, in order (14.3, 32.2 to 32.4).
#pragma once

#include <cstdint>
#include <vector>

#include "tests/system/calculator.hpp"

namespace kernbench::calculator {

/// Tiles from `begin` to before `end`.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const Range&) const = default;
};

/// A block that is brought to TCM.
struct Load {
  enum class Of { kA, kB, kSums };
  Of of = Of::kA;
  Range rows;
  Range columns;
};

/// A composite: these tiles of C, over these along K.
struct Step {
  Range rows;
  Range columns;
  Range inner;
  bool adds = false;   ///< sums that an earlier one has left
  bool keeps = false;  ///< leaves sums
};

struct Call {
  enum class Kind { kLoad, kRef, kWaitLoad, kComposite, kWaitComposite };
  Kind kind = Kind::kRef;
  std::int64_t which = 0;  ///< load or step, counted from 0
};

struct Program {
  bool streams_a = false;
  bool streams_b = false;
  std::vector<Load> loads;
  std::vector<Step> steps;
  std::vector<Call> calls;
};

/// Throws std::invalid_argument for a variant that is not known.
Program program_of(const Run& run, const TileShape& tile);

}  // namespace kernbench::calculator
