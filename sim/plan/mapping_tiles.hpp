// The tiles that a mapping may have where nobody says one (adr/0032-mappings.md, 32.8).
#pragma once

#include <vector>

#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

/// pe.mac.tile first, then those whose m and n are its doubled and halved, with m x n at most that of pe.mac.tile and
/// at least a quarter of it, and the deepest k, doubled and halved, that its operand registers carry; no dimension is
/// doubled once it covers the problem's. Elements.
[[nodiscard]] std::vector<TileShape> candidate_tiles(const GemmProblem& problem, const TileShape& most);

}  // namespace kernbench
