// One measured operator or copy, predicted (adr/0053).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// Metrics: what was predicted, what was measured on the machine's device, the error, what the roofline says. Skipped
/// where the device has no good row of it, or the GPU's file does not know operators. Flags `fitted` and `noisy`.
[[nodiscard]] Row predicted_case(const LoadedGpu& gpu, const Json& point);

}  // namespace kernbench
