// Slurm's own commands: submit an array of tasks, see what of it is queued (adr/0039-clusters.md).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/cluster/work_folder.hpp"
#include "benches/harness/run/stop_signals.hpp"

namespace kernbench {

/// How a site wants its jobs.
struct SlurmOptions {
  std::vector<std::string> sbatch;  ///< further options: "--partition=short"
  std::string launcher;             ///< words before the program's name, as a shell reads them: "apptainer exec kb.sif"
};

/// A job's number and an index into its array.
using QueuedTask = std::pair<std::string, std::size_t>;

/// Submits a job array, a task each, whose number it returns. Throws ConfigError with the command and what sbatch said.
[[nodiscard]] std::string submit_array(const TaskArray& array, int cpus, const SlurmOptions& options,
                                       const StopSignals& signals);

/// Of these jobs, what waits or runs; nothing where squeue does not answer, `why` says what it said instead.
[[nodiscard]] std::optional<std::set<QueuedTask>> queued_tasks(const std::set<std::string>& jobs,
                                                               const StopSignals& signals, std::string& why);

}  // namespace kernbench
