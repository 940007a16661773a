// Steps of training on GPUs as a row of results: what the simulator says of them, and the times of which their traces
// are made (adr/0059).
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"
#include "sim/system/gpu/gpu_training.hpp"

namespace kernbench {

/// Steps of a trace, as many as measured ones have.
inline constexpr std::int64_t kTracedSteps = 2;

/// Metrics in ns, of a step of kTracedSteps that follow one another, named and added up as traces::StepTimes.
[[nodiscard]] Metrics gpu_step_metrics(const GpuTraining& training);

/// Row::timeline: kTracedSteps equal steps of every GPU. `machine` is what the traces call the GPU.
[[nodiscard]] Json gpu_training_timeline(const GpuTraining& training, std::int64_t gpus, const std::string& machine);

}  // namespace kernbench
