// What a work folder on a cluster is for: the bench, the machine and the settings that all of its tasks share
// (adr/0039-clusters.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/text/json.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

inline constexpr const char* kExperimentSchema = "kernbench.experiment/1";

struct Experiment {
  std::string bench;  ///< as it is registered
  std::string bench_version;
  bool swept = false;   ///< points have keys of the machine
  MachineSpec machine;  ///< that points start from
  PointSettings settings;
  // Limits of a task; two calls for one work folder may differ in them.
  int jobs = 1;             ///< points at a time
  double timeout_s = 0;     ///< for one point; 0: none
  std::int64_t memory = 0;  ///< bytes, all jobs together; 0: 80 % of what the task's node leaves it
};

/// With the versions of the model and of this program.
[[nodiscard]] Json experiment_to_json(const Experiment& experiment);

/// "machine key pe.clock", "program": what makes the one another experiment than the other. Limits do not.
[[nodiscard]] std::vector<std::string> experiment_differences(const Json& one, const Json& other);

/// Throws ConfigError naming the file where it is no experiment, or one of another program, model or bench.
[[nodiscard]] Experiment read_experiment(const std::filesystem::path& file);

}  // namespace kernbench
