#include "benches/experiments/cluster/run_task.hpp"

#include <algorithm>
#include <cmath>

#include "benches/experiments/cluster/work_folder.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// Its children, within what the node leaves this process.
IsolationOptions children_of(const Experiment& experiment, const Bench& bench,
                             const std::vector<LabelledPoint>& points) {
  MemoryLimit limit = default_memory_limit();
  if (experiment.memory > 0) limit = {experiment.memory, "--memory"};
  IsolationOptions children;
  children.jobs =
      limit.jobs_that_fit(memory_needs(bench, points, experiment.machine, experiment.settings), experiment.jobs);
  children.timeout = std::chrono::milliseconds(std::llround(experiment.timeout_s * 1000));
  children.memory = limit.bytes / std::clamp(static_cast<int>(points.size()), 1, children.jobs);
  return children;
}

Evaluated simulate(const std::filesystem::path& array, std::size_t index) {
  const Experiment experiment = read_experiment(array.parent_path() / "experiment.json");
  const Bench& registered = find_bench(experiment.bench);
  const Bench bench = experiment.swept ? swept(registered, {}) : registered;
  std::vector<LabelledPoint> points;
  std::vector<Evaluation> evaluations;
  for (const Json& point : read_task(array, index)) {
    points.push_back({point, {point.dump()}});
    evaluations.push_back(evaluation_of(bench, points.back(), experiment.machine, experiment.settings));
  }
  EvaluateOptions how;
  how.shows = Progress::Shows::kNothing;
  how.children = children_of(experiment, bench, points);
  return evaluate(evaluations, how);
}

}  // namespace

int run_task(const std::filesystem::path& array, std::size_t index) {
  const std::filesystem::path file = rows_file(array, index);
  if (std::filesystem::exists(file)) return 0;
  TaskAnswer answer;
  try {
    Evaluated evaluated = simulate(array, index);
    for (std::optional<Row>& row : evaluated.rows) {
      if (row) answer.rows.push_back(std::move(*row));
    }
    write_task_answer(file, answer);
    return evaluated.stopped_by == 0 ? 0 : 128 + evaluated.stopped_by;
  } catch (const ConfigError& error) {
    answer.refusal = error.what();
    if (std::filesystem::exists(array)) write_task_answer(file, answer);
    throw;
  }
}

}  // namespace kernbench
