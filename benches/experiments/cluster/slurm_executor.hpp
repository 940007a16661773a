// Points as tasks of a Slurm cluster: submitted, waited for, collected; what is lost is submitted again
// (adr/0039-clusters.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "benches/experiments/cluster/slurm.hpp"
#include "benches/experiments/cluster/work_folder.hpp"
#include "benches/experiments/run/executor.hpp"

namespace kernbench {

struct ClusterOptions {
  std::filesystem::path work;  ///< the folder that all nodes share
  std::size_t tasks = 100;     ///< of an array, at most
  bool fresh = false;          ///< rows of earlier arrays in the folder are not taken over
  /// For how long a task may be neither queued nor have rows: a shared file system shows a new file late.
  std::chrono::milliseconds patience{5'000};
  SlurmOptions slurm;
};

class SlurmExecutor : public Executor {
 public:
  /// Throws as WorkFolder does.
  SlurmExecutor(Experiment experiment, ClusterOptions options)
      : experiment_(std::move(experiment)), options_(std::move(options)), work_(options_.work, experiment_) {}

  /// Stopped by a signal, it leaves the tasks to themselves: the next call for the same work folder finds them. Throws
  /// ConfigError where sbatch does not take the tasks, or a task refuses its experiment.
  [[nodiscard]] int simulate(const std::vector<const Evaluation*>& evaluations, const ExecutorEvents& events) override;

  /// All rows are safe elsewhere: what the work folder has of them goes.
  void discard() { work_.remove(); }

 private:
  Experiment experiment_;
  ClusterOptions options_;
  WorkFolder work_;
};

}  // namespace kernbench
