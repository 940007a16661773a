// A point of the bench overlap-sweep: which training run it is.
#pragma once

#include <vector>

#include "benches/workloads/bench.hpp"
#include "sim/plan/training_injection.hpp"
#include "sim/system/training/training_run.hpp"

namespace kernbench {

/// channels, threads, and what the user may set besides.
[[nodiscard]] std::vector<Axis> overlap_sweep_axes();

struct OverlapCase {
  TrainingSetup setup;
  std::int64_t steps = 0;
  std::vector<TrainingInjection> injections;
};
/// Throws ConfigError for an injection that names no rank, step or GEMM of the point.
[[nodiscard]] OverlapCase overlap_case(const MachineSpec& machine, const Point& point);

}  // namespace kernbench
