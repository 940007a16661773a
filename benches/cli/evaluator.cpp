#include "benches/cli/evaluator.hpp"

#include <spdlog/spdlog.h>

#include <csignal>
#include <optional>
#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

void CacheOption::add_to(CommandSpec& command) {
  command.add_flag("--no-cache", no_cache_,
                   "Simulate what earlier runs have simulated too, and keep nothing for later ones");
}

std::unique_ptr<EvaluationCache> CacheOption::open() const {
  return no_cache_ ? nullptr : std::make_unique<EvaluationCache>(evaluation_cache_folder());
}

Evaluator::Evaluator(std::string title, const ChildOptions& children, const CacheOption& cache)
    : title_(std::move(title)), children_(children), cache_(cache.open()) {}

std::vector<Row> Evaluator::operator()(const std::vector<Evaluation>& evaluations) {
  std::vector<MemoryNeed> needs;
  for (const Evaluation& evaluation : evaluations) {
    if (evaluation.memory) needs.push_back(*evaluation.memory);
  }
  EvaluateOptions options;
  options.title = title_;
  const ChildOptions fitted = needs.empty() ? children_ : children_.fitted(needs);
  options.children = fitted.isolation(static_cast<int>(evaluations.size()));
  options.cache = cache_.get();
  if (const std::size_t now = asked_ + evaluations.size(); expected_ > now) {
    options.to_come = expected_ - now;
  }
  if (expected_ > 0) options.done_before = asked_;
  Evaluated evaluated = evaluate(evaluations, options);
  if (evaluated.stopped_by != 0) {
    if (cache_) spdlog::warn("interrupted: what was simulated is remembered, the same command goes on from there");
    std::raise(evaluated.stopped_by);  // ends this process the way its user asked for
    throw SimulationError("interrupted");
  }
  asked_ += evaluations.size();
  known_ += evaluated.known;
  std::vector<Row> rows;
  rows.reserve(evaluations.size());
  for (std::optional<Row>& row : evaluated.rows) rows.push_back(std::move(*row));
  return rows;
}

}  // namespace kernbench
