// Many simulations of which only the rows are wanted: what the cache knows is not simulated, the rest in children, the
// dearest first (adr/0037-evaluation-cache.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/run/evaluation_cache.hpp"
#include "benches/experiments/run/executor.hpp"
#include "benches/experiments/run/isolated.hpp"
#include "benches/experiments/run/memory_limit.hpp"
#include "benches/io/text/progress.hpp"
#include "benches/results/rows/results.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

/// One workload on one machine.
struct Evaluation {
  Json point = Json::object();    ///< that its row gets
  std::function<Row()> simulate;  ///< in a child. A ConfigError gives a skipped row, anything else a failed one
  /// What the row follows from; called where there is a cache. Where it is empty, or throws ConfigError, the row is
  /// neither looked for nor kept.
  std::function<WorkloadOnMachine()> identity = {};
  double cost = 1;                        ///< about how long it takes, in a unit that all of them share
  std::optional<MemoryNeed> memory = {};  ///< what it takes, where that is known; for whoever chooses how many jobs fit
};

struct EvaluateOptions {
  std::string title = {};                         ///< of the bar
  Progress::Shows shows = Progress::Shows::kBar;  ///< kRows: what on_row returns
  std::size_t done_before = 0;                    ///< points that the bar counts beside these
  std::size_t to_come = 0;                        ///< and those that will be asked after them, of about the same cost
  IsolationOptions children = {};                 ///< its callbacks are not used
  Executor* executor = nullptr;                   ///< children of this process
  EvaluationCache* cache = nullptr;               ///< none
  /// In the parent, as rows are simulated, in any order; returns what is shown of one, "" for nothing.
  std::function<std::string(std::size_t index, const Row& row, const std::string& output)> on_row = {};
};

struct Evaluated {
  std::vector<std::optional<Row>> rows;  ///< in the order of the evaluations; empty where it was interrupted
  std::size_t known = 0;                 ///< of the rows, from the cache
  int stopped_by = 0;                    ///< SIGINT, SIGTERM or SIGHUP that ended it early; 0: it went through
};

/// Throws as the executor does, and what on_row throws.
[[nodiscard]] Evaluated evaluate(const std::vector<Evaluation>& evaluations, const EvaluateOptions& options);

/// Which of them the cache knows.
[[nodiscard]] std::vector<bool> known_evaluations(const std::vector<Evaluation>& evaluations, EvaluationCache& cache);

}  // namespace kernbench
