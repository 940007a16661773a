// The older kernels of a GPU's library: for tf32, fp32 and rows of no multiple of 16 bytes (adr/0055).
#pragma once

#include <span>
#include <vector>

#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {

/// A tile that a family has: `a` columns and `b` rows of C, `depth` elements of K a step; an SM holds `held` CTAs.
struct GpuOlderTile {
  std::int64_t a;
  std::int64_t b;
  std::int64_t depth;
  std::int64_t warps;
  std::int64_t held;
};

/// The tiles of a family; none of kNewest.
[[nodiscard]] std::span<const GpuOlderTile> older_tiles(GpuFamily family);
/// That of a kernel, or nullptr where its family has no such tile.
[[nodiscard]] const GpuOlderTile* older_tile(const GpuKernel& kernel);

/// The kernels that the library could launch for this product, of the families that it has for it.
[[nodiscard]] std::vector<GpuKernel> older_candidates(const GpuGemm& gemm, const GpuSpec& gpu);

/// gpu_gemm_time of a kernel of an older family.
[[nodiscard]] GpuGemmTime older_gemm_time(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                                          const GpuConditions& conditions);

/// Throws ConfigError where the family has no such tile, or nothing to do with the product.
void check_older_kernel(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::string_view place);

}  // namespace kernbench
