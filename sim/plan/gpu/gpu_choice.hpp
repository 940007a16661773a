// Which kernel the library launches, by rule (adr/0049).
#pragma once

#include <vector>

#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {

/// The kernels that the library could launch for this product, each with the cluster that costs no further round and
/// the parts of K that the rules give it.
[[nodiscard]] std::vector<GpuKernel> gpu_candidates(const GpuGemm& gemm, const GpuSpec& gpu);

/// The one of the least time as the library sees it: with its own constants, and blind to how rows are aligned; of
/// older families (adr/0055) the one of the least time.
[[nodiscard]] GpuKernel choose_gpu_kernel(const GpuGemm& gemm, const GpuSpec& gpu);

/// The kernel in the largest cluster that costs no further round; of equals the one that asks for the fewest lines.
[[nodiscard]] GpuKernel with_cluster(GpuKernel kernel, const GpuGemm& gemm, const GpuSpec& gpu);

/// Parts of K that this kernel is launched with where its K is cut; 1 where the rule lets it be.
[[nodiscard]] std::int64_t split_by_rule(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu);

}  // namespace kernbench
