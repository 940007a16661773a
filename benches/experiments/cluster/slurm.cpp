#include "benches/experiments/cluster/slurm.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "benches/experiments/cluster/called_program.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/io/text/shell.hpp"
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
  return "#!/bin/sh\nexec " + (launcher.empty() ? "" : launcher + " ") + quoted_for_shell(program) + " dev task " +
         quoted_for_shell(array.folder.string()) + " \"$SLURM_ARRAY_TASK_ID\"\n";
}

/// Of what a program said.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "it said nothing" : text;
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
  const std::string what = called.exit_code == 0 ? "sbatch gave no number of a job" : "sbatch did not submit the tasks";
  throw ConfigError(what + " (exit code " + std::to_string(called.exit_code) +
                    "): " + one_line(called.err + called.out) + "\n  the command was: " + as_typed(words) +
                    "\n  expected a job's number: try the command by itself; options that this site needs go into "
                    "--slurm, arrays that are too long want fewer --tasks. Rows that came are kept");
}

std::vector<std::string> names_of(const std::set<QueuedTask>& tasks) {
  std::vector<std::string> words;
  for (auto task = tasks.begin(); task != tasks.end();) {
    const auto& [job, first] = *task;
    std::size_t last = first;
    while (++task != tasks.end() && *task == QueuedTask{job, last + 1}) ++last;
    const std::string range = std::to_string(first) + (last == first ? "" : "-" + std::to_string(last));
    const std::string begin = job + "_[";
    if (!words.empty() && words.back().starts_with(begin)) {
      words.back().back() = ',';
      words.back() += range + "]";
    } else {
      words.push_back(begin + range + "]");
    }
  }
  return words;
}

std::optional<QueuedTasks> queued_tasks(const std::set<std::string>& jobs, const StopSignals& signals,
                                        std::string& why) {
  QueuedTasks queued;
  if (jobs.empty()) return queued;
  std::string list;
  for (const std::string& job : jobs) list += (list.empty() ? "" : ",") + job;
  const CalledProgram called = call_program({"squeue", "--noheader", "--array", "--format=%F %K %r", "--jobs=" + list},
                                            signals, WhenStopped::kEnd);
  // A single job that ended some minutes ago.
  if (called.exit_code != 0 && called.err.find("Invalid job id") != std::string::npos) return queued;
  if (called.exit_code != 0) {
    why = one_line(called.err);
    return std::nullopt;
  }
  std::istringstream lines(called.out);
  std::string job;
  std::string reason;
  for (std::string index; lines >> job >> index && std::getline(lines >> std::ws, reason);) {
    if (is_number(index)) queued.emplace(QueuedTask{job, std::stoul(index)}, reason);
  }
  return queued;
}

void cancel_tasks(const std::set<QueuedTask>& tasks, const StopSignals& signals) {
  if (tasks.empty()) return;
  std::vector<std::string> words = names_of(tasks);
  words.insert(words.begin(), "scancel");
  const CalledProgram called = call_program(words, signals, WhenStopped::kWait);
  if (called.exit_code != 0) spdlog::warn("`{}` failed: {}", as_typed(words), one_line(called.err));
}

}  // namespace kernbench
