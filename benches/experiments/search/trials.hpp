// What a search has tried so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "benches/experiments/search/search.hpp"

namespace kernbench {

class Trials {
 public:
  Trials(const Space& space, const Question& question, const EvaluateChoices& evaluate, std::size_t budget);

  /// Tries those that are new and allowed, as far as the budget goes.
  void run(const std::vector<Choice>& choices);
  /// What of the budget may still be tried.
  [[nodiscard]] std::size_t left() const { return budget_ - std::min(budget_, kept_back_ + tried_.size()); }
  /// So many are not for now.
  void keep_back(std::size_t count) { kept_back_ = count; }
  /// Whether the choice has been tried, or cannot be.
  [[nodiscard]] bool knows(const Choice& choice) const;
  /// For each goal what an optimiser makes small; of one that is no machine or misses a target, more than of any that
  /// does. The choice is known.
  [[nodiscard]] std::vector<double> losses(const Choice& choice) const;
  [[nodiscard]] const std::vector<Candidate>& tried() const { return tried_; }
  [[nodiscard]] std::optional<std::size_t> best() const;

 private:
  void add(const Choice& choice, Row row);

  const Space& space_;
  const Question& question_;
  const EvaluateChoices& evaluate_;
  std::size_t budget_;
  std::size_t kept_back_ = 0;
  std::vector<Candidate> tried_;
  std::map<Choice, std::optional<std::size_t>> places_;  ///< in `tried_`; nothing of what is no machine
};

}  // namespace kernbench
