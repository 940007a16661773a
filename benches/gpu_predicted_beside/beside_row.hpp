// One product beside a collective, predicted (adr/0058).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// Metrics: times together and alone, how often the product's time alone it takes, the same as measured on the
/// machine's device, and why. Skipped where the device has no good row of it.
[[nodiscard]] Row beside_row(const LoadedGpu& gpu, const Json& point);

/// The product alone, in closed form.
[[nodiscard]] Row product_alone_row(const LoadedGpu& gpu, const Json& point);

}  // namespace kernbench
