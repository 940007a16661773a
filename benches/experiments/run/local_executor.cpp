#include "benches/experiments/run/evaluate.hpp"
#include "benches/experiments/run/executor.hpp"
#include "benches/experiments/run/row_work.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostInTurn = 256;  // simulations of a child: then it ends, with what they may have left in it

/// The row of a child, whatever became of it.
Row row_of(const Outcome& outcome) {
  Row row;
  try {
    return row_answer(outcome).row;
  } catch (const ConfigError& error) {
    row.status = "skipped";
    row.reason = error.what();
  }
  return row;
}

}  // namespace

int LocalExecutor::simulate(const std::vector<const Evaluation*>& evaluations, const ExecutorEvents& events) {
  std::vector<Work> works;
  works.reserve(evaluations.size());
  for (const Evaluation* evaluation : evaluations) works.push_back(row_work(evaluation->simulate));
  IsolationOptions children = children_;
  children.most_in_turn = kMostInTurn;
  children.on_tick = events.on_tick;
  children.on_done = [&events](std::size_t index, const Outcome& outcome) {
    events.on_row(index, row_of(outcome), outcome.output);
  };
  return run_isolated(works, children).stopped_by;
}

}  // namespace kernbench
