// Who simulates what is missing: children of this process, or tasks on a cluster (adr/0039-clusters.md).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benches/experiments/run/isolated.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

struct Evaluation;

/// What an executor says while it works, always in the process and thread that called it.
struct ExecutorEvents {
  /// Once for each evaluation, in any order; `output` is the end of what the simulation printed, where that is known.
  std::function<void(std::size_t index, Row row, const std::string& output)> on_row = {};
  std::function<void()> on_tick = {};  ///< some times a second
};

class Executor {
 public:
  Executor() = default;
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Simulates them, the dearest of which stand first. Returns SIGINT, SIGTERM or SIGHUP where one ended it early, 0
  /// where all have a row. Throws as run_isolated, what the events throw, and what it cannot work without.
  [[nodiscard]] virtual int simulate(const std::vector<const Evaluation*>& evaluations,
                                     const ExecutorEvents& events) = 0;
};

/// In forked children of this process (ADR-0010).
class LocalExecutor : public Executor {
 public:
  /// The callbacks of `children` are not used.
  explicit LocalExecutor(IsolationOptions children) : children_(std::move(children)) {}
  [[nodiscard]] int simulate(const std::vector<const Evaluation*>& evaluations, const ExecutorEvents& events) override;

 private:
  IsolationOptions children_;
};

}  // namespace kernbench
