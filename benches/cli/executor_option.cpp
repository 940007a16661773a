#include "benches/cli/executor_option.hpp"

#include <sstream>

#include "benches/io/program/option_values.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

void ExecutorOption::add_to(CommandSpec& command) {
  command
      .add_option("--executor", executor_, "Where points are simulated: here, or in tasks that sbatch submits to Slurm")
      .rule(one_of({"local", "slurm"}))
      .type_name("WHERE")
      .show_default();
  of_slurm_ = {
      &command.add_option("--work", work_, "Of --executor slurm: a folder that all nodes see [OUT/BENCH-work]")
           .type_name("DIR")
           .writes_folder(),
      &command.add_option("--tasks", tasks_, "Of --executor slurm: tasks that are submitted together, at most")
           .rule(whole_number(1, 1'000'000))
           .type_name("N")
           .show_default(),
      &command
           .add_option("--lost-after", lost_after_,
                       "Of --executor slurm: seconds after which a task that is neither queued nor has rows is "
                       "submitted again; more where the file system shows new files late")
           .rule(whole_number(1, 86'400))
           .type_name("SECONDS")
           .show_default(),
      &command
           .add_option("--slurm", slurm_, "Of --executor slurm: options of sbatch, e.g. '--partition=short --time=60'")
           .type_name("OPTIONS"),
      &command
           .add_option("--launcher", launcher_,
                       "Of --executor slurm: words before kernbench in each task, e.g. 'apptainer exec kernbench.sif'")
           .type_name("WORDS")};
}

void ExecutorOption::check() const {
  if (is_cluster()) return;
  for (const Option* option : of_slurm_) {
    if (!option->given()) continue;
    throw ConfigError(option->shown_name() + ": expected --executor slurm beside it; points that are simulated here " +
                      "are not submitted to a cluster");
  }
}

std::unique_ptr<SlurmExecutor> ExecutorOption::open(Experiment experiment, const std::filesystem::path& out,
                                                    const std::string& name, bool fresh) const {
  ClusterOptions options;
  options.work = std::filesystem::absolute(work_.empty() ? out / (name + "-work") : work_);
  options.tasks = static_cast<std::size_t>(tasks_);
  options.fresh = fresh;
  options.patience = std::chrono::seconds(lost_after_);
  options.slurm.launcher = launcher_;
  std::istringstream words(slurm_);
  for (std::string word; words >> word;) options.slurm.sbatch.push_back(word);
  return std::make_unique<SlurmExecutor>(std::move(experiment), std::move(options));
}

}  // namespace kernbench
