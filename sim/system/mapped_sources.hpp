// Where the blocks that a mapping works on come from, and which of its steps ask the same of a PE (adr/0032, adr/0047).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"
#include "sim/system/kernel.hpp"

namespace kernbench {

/// An operand, or sums that go to HBM, or C where it is added to.
struct MappedSource {
  MatrixLayout whole;
  TileMap tiles{};  ///< where they are, if not as `whole` says

  [[nodiscard]] MappedGemm::Piece piece(const MappedGemm& mapped, BlockOf what, const BlockStep& step) const;
};
using MappedSources = std::array<MappedSource, 3>;  ///< by BlockOf
[[nodiscard]] MappedSources sources_of(const MappedGemm& mapped, const GemmCall& call);

/// Of each step all that its calls say, but for the addresses in TCM: steps and loads by how long ago they were,
/// addresses in memories modulo `interleaved`.
[[nodiscard]] std::vector<std::uint64_t> texts_of_steps(const MappedGemm& mapped, const GemmCall& call,
                                                        Bytes interleaved);

}  // namespace kernbench
