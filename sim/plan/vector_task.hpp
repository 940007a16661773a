// Work of the vector unit on what lies in TCM, outside composites (adr/0043-operators.md, 43.3).
#pragma once

#include <algorithm>

#include "sim/plan/epilogue.hpp"

namespace kernbench {

struct VectorTask {
  Cycles cycles = 0;
  std::int64_t operations = 0;  ///< on single elements (36.2)
  Bytes fetched = 0;            ///< from TCM
  Bytes stored = 0;             ///< to TCM

  /// Adds passes over so many elements.
  void add(const VectorWork& work, std::int64_t elements, const VectorUnitSpec& unit) {
    cycles += vector_cycles(unit, work, elements);
    operations += vector_operations(work, elements);
  }
  /// For which the unit is occupied: it reads, computes and writes at the same time.
  [[nodiscard]] Picoseconds time(const PeSpec& pe) const {
    return std::max({pe.clock.time_for(cycles), pe.fetch.time_for(fetched), pe.store.time_for(stored)});
  }
};

}  // namespace kernbench
