// Steps of data-parallel training that were measured, with the traces of their ranks: the committed rows of
// benches/reference, as points (adr/0059).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/tables/step_times.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

struct MeasuredStep {
  Json point;  ///< channels and threads as they were asked for, layers, hidden, batch, gpus
  std::string device;
  Row row;
  std::filesystem::path traces;  ///< folder with a file a rank
};

/// Of every device. Throws ConfigError for a file that cannot be read.
[[nodiscard]] const std::vector<MeasuredStep>& measured_steps();
/// The device's; nullptr where it has none of that point.
[[nodiscard]] const MeasuredStep* measured_step(const std::string& device, const Json& point);

/// What the analysis says of its traces. Throws ConfigError for traces that cannot be read.
[[nodiscard]] traces::StepTimes analysed(const MeasuredStep& step);

/// The values that were measured anywhere; each axis takes others, too.
[[nodiscard]] std::vector<Axis> training_axes();
/// Of values that were all measured, combinations that were; of others all.
[[nodiscard]] bool is_training_point(const Point& point);

}  // namespace kernbench
