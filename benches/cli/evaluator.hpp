// How commands evaluate that ask many machines: --no-cache, children, and what was known.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benches/cli/children.hpp"
#include "benches/experiments/run/evaluate.hpp"
#include "benches/io/program/command.hpp"

namespace kernbench {

/// --no-cache.
class CacheOption {
 public:
  void add_to(CommandSpec& command);
  [[nodiscard]] bool wanted() const { return !no_cache_; }
  /// The user's cache; none with --no-cache.
  [[nodiscard]] std::unique_ptr<EvaluationCache> open() const;

 private:
  bool no_cache_ = false;
};

class Evaluator {
 public:
  /// `title` is that of the bar. Both options must outlive it.
  Evaluator(std::string title, const ChildOptions& children, const CacheOption& cache);
  /// Without a cache: everything is simulated.
  Evaluator(std::string title, const ChildOptions& children) : title_(std::move(title)), children_(children) {}

  /// How many evaluations will be asked in all, at most about: what the bar goes to. Else a bar for each call.
  void expect(std::size_t evaluations) { expected_ = evaluations; }

  /// Rows in the order of the evaluations; "skipped" where a machine cannot do it, "failed" where it came to no end.
  /// Throws ConfigError where one needs more than --memory. A user who stops it ends this process.
  [[nodiscard]] std::vector<Row> operator()(const std::vector<Evaluation>& evaluations);

  [[nodiscard]] std::size_t asked() const { return asked_; }  ///< in all calls
  [[nodiscard]] std::size_t known() const { return known_; }  ///< of those, from the cache

 private:
  std::string title_;
  const ChildOptions& children_;
  std::unique_ptr<EvaluationCache> cache_;
  std::size_t expected_ = 0;
  std::size_t asked_ = 0;
  std::size_t known_ = 0;
};

}  // namespace kernbench
