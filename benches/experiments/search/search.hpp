// Which machine is best for a bench: a search among the choices of a space (adr/0038-search.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/search/space.hpp"

namespace kernbench {

/// One row for each choice, in their order: means over its points (38.2), or another status than "ok" and a reason.
using EvaluateChoices = std::function<std::vector<Row>(const std::vector<Choice>&)>;

struct Goal {
  std::string name;  ///< what tables and figures call it
  Expression expression;
  bool maximise = false;
  bool is_named = false;  ///< by who asked
};

/// Of "EXPRESSION" or "NAME=EXPRESSION"; without a name it is the expression, the beginning of a long one. Throws
/// ConfigError, which begins with the option.
[[nodiscard]] Goal goal_of(const std::string& option, const std::string& text, bool maximise);

struct Question {
  std::vector<Goal> goals;         ///< one: the best is looked for; two or three: what no other beats in all
  std::vector<Condition> targets;  ///< of results
  std::size_t budget = 500;        ///< choices that are simulated, at most
  std::uint32_t seed = 1;
};

struct Candidate {
  Choice choice;
  Row row;
  std::vector<double> values;  ///< of the goals; none where it did not run
  double missed = 0;           ///< by how much it misses the targets in all; 0 where it meets them
  [[nodiscard]] bool is_good() const { return !values.empty() && missed == 0; }
};

/// What the row of a machine is worth. Throws ConfigError where a goal or target names a metric that it lacks.
[[nodiscard]] Candidate judged(const Question& question, const MachineSpec& machine, const Choice& choice, Row row);

struct Found {
  std::vector<Candidate> tried;         ///< in the order in which they were
  std::optional<std::size_t> best;      ///< of `tried`; of one goal, where a target can be met
  std::vector<std::size_t> front;       ///< of `tried`, by the first goal
  bool all = false;                     ///< every machine of the space was tried
  bool no_neighbour_is_better = false;  ///< than the best, or beats one of the front; all were tried
};

/// Throws ConfigError where no choice is a machine that meets the conditions of the space, and where a goal or target
/// names a metric that the run of the first choice lacks.
[[nodiscard]] Found search(const Space& space, const Question& question, const EvaluateChoices& evaluate);

/// What was drawn at random and is better than what was found takes its place, or is beaten by nothing beside it: the
/// answer is of all that was simulated.
void count_in(Found& found, const Found& drawn, const Question& question);

/// As many different choices as `count`, drawn at random: what a search has to beat.
[[nodiscard]] Found random_search(const Space& space, const Question& question, const EvaluateChoices& evaluate,
                                  std::size_t count);

}  // namespace kernbench
