// Slurm's own commands: submit an array of tasks, see what of it is queued, end it (adr/0039-clusters.md).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benches/experiments/cluster/work_folder.hpp"
#include "benches/experiments/run/stop_signals.hpp"

namespace kernbench {

/// How a site wants its jobs.
struct SlurmOptions {
  std::vector<std::string> sbatch;  ///< further options: "--partition=short"
  std::string launcher;             ///< words before the program's name, as a shell reads them: "apptainer exec kb.sif"
};

/// A job's number and an index into its array.
using QueuedTask = std::pair<std::string, std::size_t>;

/// What waits or runs, and squeue's word of why it waits ("Resources"); "None" for what runs.
using QueuedTasks = std::map<QueuedTask, std::string>;

/// As Slurm's commands take them, a word for each job: "17_[0-3,7]".
[[nodiscard]] std::vector<std::string> names_of(const std::set<QueuedTask>& tasks);

/// Submits a job array, a task each, whose number it returns. Throws ConfigError with the command and what sbatch said.
[[nodiscard]] std::string submit_array(const TaskArray& array, int cpus, const SlurmOptions& options,
                                       const StopSignals& signals);

/// Of these jobs, what waits or runs; nothing where squeue does not answer, `why` says what it said instead.
[[nodiscard]] std::optional<QueuedTasks> queued_tasks(const std::set<std::string>& jobs, const StopSignals& signals,
                                                      std::string& why);

/// They are queued no more; what scancel refuses is said as a warning.
void cancel_tasks(const std::set<QueuedTask>& tasks, const StopSignals& signals);

}  // namespace kernbench
