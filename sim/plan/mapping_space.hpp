// What mappings of a tile are tried (adr/0032-mappings.md, 32.8).
#pragma once

#include <vector>

#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

/// A block that is tried.
struct TriedBlock {
  TileShape size;
  std::int64_t place = 0;  ///< in the order in which blocks are tried, among those of the tile
  bool coarse = false;     ///< tiles are compared by it
};

/// The mappings of one tile with what is asked for, block by block.
class MappingSpace {
 public:
  MappingSpace(const GemmProblem& problem, const MappingRequest& request, const TileShape& tile);

  /// Every dimension cut into equal parts of whole tiles, of at most 65,536 steps in all, coarse ones first; or the
  /// block that is asked for.
  [[nodiscard]] std::vector<TriedBlock> blocks() const;
  [[nodiscard]] const std::vector<Residency>& residencies() const { return residencies_; }
  /// Of a block: orders that differ in loops of one block are one.
  [[nodiscard]] std::vector<LoopOrder> orders(const TileShape& block) const;
  [[nodiscard]] std::vector<std::int64_t> buffers(const TileShape& block, Residency loaded) const;
  [[nodiscard]] const SumStorage& sums() const { return sums_; }

 private:
  const GemmProblem& problem_;
  const MappingRequest& request_;
  TileShape tile_;
  SumStorage sums_;
  std::vector<Residency> residencies_;
};

}  // namespace kernbench
