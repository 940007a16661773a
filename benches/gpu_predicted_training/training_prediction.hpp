// A step of data-parallel training, predicted (adr/0059).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// Throws CapacityError, which names the point, for what the machine cannot do; so do the other two.
void check_training_point(const LoadedGpu& gpu, const Json& point);

/// Metrics: the step again and again, which steps measured one after the other are held against; what the analysis says
/// of its trace, which is of steps done once; of both what was measured on the machine's device, where it was.
/// The timeline is that of the trace.
[[nodiscard]] Row training_prediction(const LoadedGpu& gpu, const Json& point);

/// Products and passes one after the other, and the last all_reduce: nothing slows anything. In closed form.
[[nodiscard]] Row untouched_training_row(const LoadedGpu& gpu, const Json& point);

}  // namespace kernbench
