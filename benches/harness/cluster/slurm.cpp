#include "benches/harness/cluster/slurm.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "benches/harness/cluster/called_program.hpp"
#include "benches/harness/files/write_file.hpp"
#include "benches/harness/text/shell.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string as_typed(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted_for_shell(word);
  return line;
}

/// What each task runs.
std::string script_of(const TaskArray& array, const std::string& launcher) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return "#!/bin/sh\nexec " + (launcher.empty() ? "" : launcher + " ") + quoted_for_shell(program) + " task " +
         quoted_for_shell(array.folder.string()) + " \"$SLURM_ARRAY_TASK_ID\"\n";
}

/// Of what a program said.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string submit_array(const TaskArray& array, int cpus, const SlurmOptions& options, const StopSignals& signals) {
  const std::filesystem::path script = array.folder / "task.sh";
  write_file(script, script_of(array, options.launcher));
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--job-name=kernbench",
                                 "--array=0-" + std::to_string(array.tasks.size() - 1),
                                 "--output=" + (array.folder / "output-%a.txt").string(),
                                 "--ntasks=1",
                                 "--cpus-per-task=" + std::to_string(cpus)};
  words.insert(words.end(), options.sbatch.begin(), options.sbatch.end());
  words.push_back(script.string());
  const CalledProgram called = call_program(words, signals, WhenStopped::kWait);
  std::string job = called.out.substr(0, called.out.find_first_of(";\n"));  // "17;cluster"
  if (called.exit_code == 0 && is_number(job)) return job;
  throw ConfigError("sbatch did not submit the tasks (exit code " + std::to_string(called.exit_code) +
                    "): " + one_line(called.err + called.out) + "\n  the command was: " + as_typed(words) +
                    "\n  expected a job's number: try the command by itself; options that this site needs go into "
                    "--slurm, arrays that are too long want fewer --tasks. Rows that came are kept");
}

std::optional<std::set<QueuedTask>> queued_tasks(const std::set<std::string>& jobs, const StopSignals& signals,
                                                 std::string& why) {
  std::set<QueuedTask> queued;
  if (jobs.empty()) return queued;
  std::string list;
  for (const std::string& job : jobs) list += (list.empty() ? "" : ",") + job;
  const CalledProgram called =
      call_program({"squeue", "--noheader", "--array", "--format=%F %K", "--jobs=" + list}, signals, WhenStopped::kEnd);
  // A single job that ended some minutes ago.
  if (called.exit_code != 0 && called.err.find("Invalid job id") != std::string::npos) return queued;
  if (called.exit_code != 0) {
    why = one_line(called.err);
    return std::nullopt;
  }
  std::istringstream lines(called.out);
  std::string job;
  for (std::string index; lines >> job >> index;) {
    if (is_number(index)) queued.emplace(job, std::stoul(index));
  }
  return queued;
}

}  // namespace kernbench
