// Several steps of training one after the other, with what is injected into them, and what each GEMM's time is made of
// (adr/0041).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/training_injection.hpp"
#include "sim/system/training/training_step_run.hpp"

namespace kernbench {

/// What a GEMM's duration is the sum of.
struct GemmTruth {
  Picoseconds alone;       ///< without collectives and injections
  Picoseconds clock;       ///< what the rank's clock adds; negative where that is higher
  Picoseconds extra;       ///< injected
  Picoseconds contention;  ///< what the collectives beside it add
};

struct TrainingRank {
  Picoseconds begin;  ///< of the step on it: the end of the one before
  RankTimes times;    ///< from the begin of the run on, in this as in all
  std::vector<GemmTruth> truth;
};

struct TrainingRun {
  PlannedTraining planned;
  std::vector<std::vector<TrainingRank>> steps;  ///< by step and rank
  std::int64_t simulated_steps = 0;              ///< the others are equal to one of these, up to when they begin
};

/// Throws as plan_training and run_training_step.
[[nodiscard]] TrainingRun run_training(const MachineSpec& machine, const TrainingSetup& setup, std::int64_t steps,
                                       const std::vector<TrainingInjection>& injections);

}  // namespace kernbench
