// Training steps as a row of results: its metrics, and the times of which its traces are made (adr/0041).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/system/training/training_run.hpp"

namespace kernbench {

/// Metrics are means over steps and ranks, in ns; Row::timeline has every time, in ps.
[[nodiscard]] Row row_from_training(const TrainingRun& run, const std::vector<TrainingInjection>& injections);

/// The same step in closed form: no rank of the machine's own clock is faster.
[[nodiscard]] Row row_from_training_bound(const PlannedTraining& training);

}  // namespace kernbench
