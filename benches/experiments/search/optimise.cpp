#include "benches/experiments/search/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/multi_objective.hpp>
#include <utility>

namespace kernbench {
namespace {

constexpr std::size_t kPatience = 20;          ///< generations without a better one, before a restart
constexpr std::size_t kIdleGenerations = 200;  ///< without a machine that was not known: the space is used up

/// What a generation asked for that is not known yet.
struct Asked {
  const Trials* trials = nullptr;
  std::vector<Choice> unknown;
};

Choice choice_of(const pagmo::vector_double& values) {
  Choice choice;
  for (const double value : values) choice.push_back(static_cast<std::size_t>(std::lround(value)));
  return choice;
}

pagmo::vector_double values_of(const Choice& choice) { return {choice.begin(), choice.end()}; }

/// The space as pagmo sees it: whole numbers between bounds. A choice that is not known yet is noted, and its loss is
/// a placeholder: the generation is bred once more when it has been tried.
struct Breeding {
  const Space* space = nullptr;
  std::size_t goals = 1;
  Asked* asked = nullptr;

  [[nodiscard]] pagmo::vector_double fitness(const pagmo::vector_double& values) const {
    const Choice choice = choice_of(values);
    if (asked->trials->knows(choice)) return asked->trials->losses(choice);
    asked->unknown.push_back(choice);
    pagmo::vector_double placeholder(goals, 0);
    return placeholder;
  }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    pagmo::vector_double most;
    for (const Axis& axis : space->axes()) most.push_back(static_cast<double>(axis.values.size() - 1));
    return {pagmo::vector_double(most.size(), 0), most};
  }
  [[nodiscard]] pagmo::vector_double::size_type get_nix() const { return space->axes().size(); }
  [[nodiscard]] pagmo::vector_double::size_type get_nobj() const { return goals; }
};

/// Even for sga's pairs, a multiple of four for nsga2's tournaments.
std::size_t population_size(std::size_t budget, std::size_t goals) {
  return goals == 1 ? std::clamp<std::size_t>(budget / 50 / 2 * 2, 12, 64)
                    : std::clamp<std::size_t>(budget / 4 / 4 * 4, 24, 100);
}

pagmo::algorithm algorithm_of(std::size_t goals, unsigned seed) {
  pagmo::algorithm algorithm;
  if (goals == 1) {
    algorithm = pagmo::algorithm(pagmo::sga(1, 0.9, 1, 0.1, 1, 2, "sbx", "uniform", "tournament", seed));
  } else {
    algorithm = pagmo::algorithm(pagmo::nsga2(1, 0.95, 10, 0.1, 50, seed));
  }
  return algorithm;
}

/// A population of these and of what is drawn at random, tried as far as the budget goes.
pagmo::population first_population(const pagmo::problem& problem, unsigned seed, std::size_t size,
                                   std::vector<Choice> choices, Trials& trials) {
  pagmo::population drawn(problem, 0, seed);
  while (choices.size() < size) choices.push_back(choice_of(drawn.random_decision_vector()));
  trials.run(choices);
  for (const Choice& choice : choices) {
    if (trials.knows(choice)) drawn.push_back(values_of(choice));
  }
  return drawn;
}

/// The next generation, bred anew each time after what it asked for has been tried; nothing where the budget is spent
/// before all of it is known.
std::optional<pagmo::population> next_generation(const pagmo::algorithm& algorithm, const pagmo::population& parents,
                                                 Asked& asked, Trials& trials) {
  asked.unknown.clear();
  pagmo::population bred = algorithm.evolve(parents);
  while (!asked.unknown.empty() && trials.left() > 0) {
    trials.run(std::exchange(asked.unknown, {}));
    bred = algorithm.evolve(parents);
  }
  if (!asked.unknown.empty()) return std::nullopt;
  return bred;
}

/// What a search begins with: the machine as it is and, of several goals, all first and all last values.
std::vector<Choice> beginning(const pagmo::problem& problem, std::size_t goals, const Choice& first) {
  std::vector<Choice> choices;
  if (!first.empty()) choices.push_back(first);
  if (goals > 1) {
    for (const auto& corner : {problem.get_lb(), problem.get_ub()}) choices.push_back(choice_of(corner));
  }
  return choices;
}

}  // namespace

void optimise(const Space& space, std::size_t goals, std::uint32_t seed, const Choice& first, Trials& trials) {
  Asked asked{&trials, {}};
  const pagmo::problem problem(Breeding{&space, goals, &asked});
  const std::size_t size = population_size(trials.left(), goals);
  std::size_t idle = 0;
  const auto goes_on = [&] { return trials.left() > 0 && idle < kIdleGenerations; };
  for (unsigned stream = seed; goes_on(); ++stream) {
    pagmo::population drawn = first_population(
        problem, stream, size, stream == seed ? beginning(problem, goals, first) : std::vector<Choice>{}, trials);
    std::size_t still = 0;
    for (unsigned generation = 0; goes_on() && still < kPatience; ++generation) {
      const std::size_t before = trials.tried().size();
      const double best = goals == 1 ? drawn.champion_f().front() : 0;
      std::optional<pagmo::population> bred =
          next_generation(algorithm_of(goals, stream * 10'007U + generation), drawn, asked, trials);
      if (!bred) return;
      drawn = std::move(*bred);
      const bool is_new = trials.tried().size() > before;
      idle = is_new ? 0 : idle + 1;
      // Of one goal it stands still without a better one; of several only where nothing new comes.
      still = (goals == 1 ? drawn.champion_f().front() < best : is_new) ? 0 : still + 1;
    }
  }
}

std::vector<std::size_t> not_dominated(const std::vector<std::vector<double>>& losses) {
  if (losses.empty()) return {};
  std::vector<std::size_t> front{0};
  if (losses.size() > 1) {
    const auto fronts = std::get<0>(pagmo::fast_non_dominated_sorting(losses));
    front.assign(fronts.front().begin(), fronts.front().end());
  }
  std::ranges::sort(front, [&losses](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  return front;
}

}  // namespace kernbench
