#include "benches/harness/search/search.hpp"

#include <algorithm>
#include <random>

#include "benches/harness/search/optimise.hpp"
#include "benches/harness/search/trials.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr double kMostListed = 200'000;        ///< choices that are gone through one by one
constexpr std::size_t kNeighboursShare = 3;    ///< a third of the budget at most is for neighbours of the best
constexpr std::size_t kNeighboursOfAxis = 6;   ///< runs for them, for each axis
constexpr std::size_t kFrontShare = 2;         ///< half of the budget is for neighbours of the front
constexpr std::size_t kMostDraws = 1'000'000;  ///< without one that is allowed

/// Every choice that is allowed; nothing where there are too many to look at each.
std::vector<Choice> all_allowed(const Space& space) {
  std::vector<Choice> choices;
  if (space.size() > kMostListed) return choices;
  Choice choice(space.axes().size(), 0);
  for (std::size_t axis = 0; axis < choice.size();) {
    if (axis == 0 && space.allows(choice)) choices.push_back(choice);
    if (++choice[axis] < space.axes()[axis].values.size()) {
      axis = 0;
    } else {
      choice[axis++] = 0;
    }
  }
  return choices;
}

Choice drawn(const Space& space, std::mt19937& generator) {
  Choice choice;
  for (const Axis& axis : space.axes()) {
    choice.push_back(std::uniform_int_distribution<std::size_t>(0, axis.values.size() - 1)(generator));
  }
  return choice;
}

/// One that is allowed: the machine as it is, else the first of `all`, else the first at random.
Choice first_choice(const Space& space, const std::vector<Choice>& all, std::uint32_t seed) {
  const Choice as_it_is = space.as_it_is();
  if (space.allows(as_it_is)) return as_it_is;
  if (!all.empty()) return all.front();
  std::mt19937 generator(seed);
  for (std::size_t i = 0; i < kMostDraws && space.size() > kMostListed; ++i) {
    Choice choice = drawn(space, generator);
    if (space.allows(choice)) return choice;
  }
  throw ConfigError("no choice of --vary is a machine that meets every --where");
}

/// With one value less or more of one axis.
std::vector<Choice> neighbours_of(const Space& space, const Choice& choice) {
  std::vector<Choice> neighbours;
  for (std::size_t axis = 0; axis < choice.size(); ++axis) {
    for (const int step : {-1, 1}) {
      if (step < 0 ? choice[axis] == 0 : choice[axis] + 1 == space.axes()[axis].values.size()) continue;
      neighbours.push_back(choice);
      neighbours.back()[axis] += static_cast<std::size_t>(step);
    }
  }
  return neighbours;
}

/// Goes from the best to its best neighbour as long as that is better. Whether in the end none is.
bool climb(const Space& space, Trials& trials) {
  while (const std::optional<std::size_t> best = trials.best()) {
    const std::vector<Choice> neighbours = neighbours_of(space, trials.tried()[*best].choice);
    trials.run(neighbours);
    if (trials.best() == best) {
      return std::ranges::all_of(neighbours, [&trials](const Choice& choice) { return trials.knows(choice); });
    }
  }
  return false;
}

/// Of what was tried and is good, what nothing else beats.
std::vector<std::size_t> front_of(const Trials& trials) {
  std::vector<std::size_t> good;
  std::vector<std::vector<double>> losses;
  for (std::size_t i = 0; i < trials.tried().size(); ++i) {
    if (!trials.tried()[i].is_good()) continue;
    good.push_back(i);
    losses.push_back(trials.losses(trials.tried()[i].choice));
  }
  std::vector<std::size_t> front;
  for (const std::size_t one : not_dominated(losses)) front.push_back(good[one]);
  return front;
}

/// Goes on from what nothing beats to all its neighbours, as long as the budget lasts. Whether in the end none is new.
bool widen(const Space& space, std::uint32_t seed, Trials& trials) {
  std::mt19937 generator(seed);
  for (std::size_t before = 0; before != trials.tried().size();) {
    before = trials.tried().size();
    std::vector<Choice> neighbours;
    std::vector<std::size_t> front = front_of(trials);
    std::ranges::shuffle(front, generator);  // where the budget ends on the way, it has gone everywhere alike
    for (const std::size_t i : front) {
      for (Choice& one : neighbours_of(space, trials.tried()[i].choice)) neighbours.push_back(std::move(one));
    }
    trials.run(neighbours);
  }
  return trials.left() > 0;
}

Found found_in(const Trials& trials, std::size_t goals) {
  Found found;
  found.tried = trials.tried();
  if (goals == 1) {
    found.best = trials.best();
  } else {
    found.front = front_of(trials);
  }
  return found;
}

}  // namespace

Found search(const Space& space, const Question& question, const EvaluateChoices& evaluate) {
  const std::size_t goals = question.goals.size();
  Trials trials(space, question, evaluate, question.budget);
  const std::vector<Choice> all = all_allowed(space);
  const bool tries_all = !all.empty() && all.size() <= question.budget;
  trials.run({first_choice(space, all, question.seed)});
  if (tries_all) {
    trials.run(all);
  } else {
    const std::size_t kept = goals == 1
                                 ? std::min(question.budget / kNeighboursShare, kNeighboursOfAxis * space.axes().size())
                                 : question.budget / kFrontShare;
    trials.keep_back(kept);
    optimise(space, goals, question.seed, trials.tried().front().choice, trials);
    trials.keep_back(0);
  }
  const bool is_top = goals == 1 ? climb(space, trials) : widen(space, question.seed, trials);
  Found found = found_in(trials, goals);
  found.all = tries_all;
  found.no_neighbour_is_better = is_top;
  return found;
}

Found random_search(const Space& space, const Question& question, const EvaluateChoices& evaluate, std::size_t count) {
  Trials trials(space, question, evaluate, count);
  std::mt19937 generator(question.seed + 1);
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < kMostDraws && choices.size() < count; ++i) {
    Choice choice = drawn(space, generator);
    if (std::ranges::find(choices, choice) == choices.end() && space.allows(choice))
      choices.push_back(std::move(choice));
  }
  trials.run(choices);
  return found_in(trials, question.goals.size());
}

}  // namespace kernbench
