// What the milestone's machine of PEs claims at best of a product on a GPU (adr/0052): theory.
#pragma once

#include <optional>

#include "sim/plan/gpu/gpu_kernel.hpp"

namespace kernbench {

/// The largest useful efficiency, of 0 to 1, that the bound (adr/0007) of a variant has for the shape in bf16 on
/// topology/milestone_1h.yaml; nothing where its matrices do not fit.
[[nodiscard]] std::optional<double> milestone_efficiency(const GpuGemm& gemm);

}  // namespace kernbench
