// One measured product, predicted (adr/0052).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// A product whose burst takes at least this long, in ns, is a sample by itself where it is measured (24.1), and so is
/// measured in the steady state.
inline constexpr double kSteadyFromNs = 200e3;

/// Metrics: what was predicted, what was measured on the machine's device, the error, what the roofline says. Skipped
/// where the device has no good row of it, or the GPU no rate for the dtype. Flag `fitted` where the machine's numbers
/// were fitted to the product, `ragged` where rows of it are no multiple of 16 bytes, `noisy` as measured.
[[nodiscard]] Row predicted_row(const LoadedGpu& gpu, const Json& point);

/// The same point by the roofline of the device's data sheet (52.6). Skipped where that has no peak of the dtype.
[[nodiscard]] Row roofline_row(const LoadedGpu& gpu, const Json& point);

}  // namespace kernbench
