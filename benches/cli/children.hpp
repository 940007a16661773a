// What commands share that plan and simulate in children: --jobs, --timeout and --memory, and what is shown while they
// run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benches/cli/memory_option.hpp"
#include "benches/experiments/run/isolated.hpp"
#include "benches/io/program/command.hpp"

namespace kernbench {

struct ChildOptions {
  int jobs = 0;
  double timeout_s = 0;
  MemoryOption memory = {};

  void add_jobs(CommandSpec& command);
  /// --timeout and --memory.
  void add_limits(CommandSpec& command);
  /// With so few jobs that what they need fits --memory. Throws ConfigError with the estimate where one alone does not.
  [[nodiscard]] ChildOptions fitted(const std::vector<MemoryNeed>& needs) const;
  /// For so many pieces of work.
  [[nodiscard]] IsolationOptions isolation(int works) const;
};

/// Runs `plan` in one child, within --timeout and --memory, and says so on a terminal when it takes longer than a
/// second; returns what it returned. Throws the ConfigError that it threw, and SimulationError where it came to no end.
[[nodiscard]] std::string plan_in_child(const ChildOptions& options, const std::function<std::string()>& plan);

/// Runs each piece of work in a child, with a bar where there are several. `clean_up` is called where one failed or the
/// user stopped the run, which then ends this process as the user asked for.
[[nodiscard]] std::vector<Outcome> run_children(const std::string& title, const std::vector<Work>& works,
                                                const ChildOptions& options,
                                                const std::function<void()>& clean_up = {});

}  // namespace kernbench
