// A GEMM on one PE as a mapping says (adr/0032-mappings.md).
#pragma once

#include <memory>

#include "sim/plan/gemm_mapping.hpp"
#include "sim/system/kernel.hpp"
#include "sim/system/system.hpp"

namespace kernbench {

/// A kernel: loads blocks ahead, as far as there are buffers, multiplies them, and keeps sums in TCM, or in
/// `call.matrices.kept` in HBM, between blocks along K. The machine's tile is the mapping's (with_tile). Tiles of A, B
/// and C may lie elsewhere than their layouts say.
Process run_mapped(KernelPe pe, GemmCall call, std::shared_ptr<const MappedGemm> mapped);

/// What of it is counted on where it repeats itself (47.2, 47.8).
[[nodiscard]] CountedOn counted_on(const MappedGemm& mapped);

}  // namespace kernbench
