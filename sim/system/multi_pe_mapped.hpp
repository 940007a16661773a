// A GEMM over several PEs, each of which runs its part by a mapping; split K is added up round rings (32.16).
#pragma once

#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// It needs no name: runs by mappings are asked for by their mapping. One that splits K has a message queue.
[[nodiscard]] const MultiPeGemmKernel& multi_pe_mapped_kernel(const MultiPeMapping& mapping);

}  // namespace kernbench
