#include "benches/experiments/search/search.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include "benches/experiments/search/optimise.hpp"
#include "benches/experiments/search/trials.hpp"
#include "benches/io/text/table.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

constexpr const char* kGoalCharacters = "0123456789_.-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ";
constexpr std::size_t kLongestName = 24;
constexpr double kMostListed = 200'000;        ///< choices that are gone through one by one
constexpr std::size_t kRounds = 8;             ///< an eighth of the budget is bred in each
constexpr std::size_t kFewestOfRound = 12;     ///< but no less
constexpr std::uint32_t kSeedsOfRound = 1000;  ///< generations of one have others than those of the next
constexpr std::size_t kFrontShare = 2;         ///< half of the budget is for neighbours of the front
constexpr std::size_t kMostDraws = 1'000'000;  ///< without one that is allowed

/// The choices that are allowed, up to one more than `most`; nothing where there are too many to look at each.
std::vector<Choice> allowed_choices(const Space& space, std::size_t most) {
  std::vector<Choice> choices;
  if (space.size() > kMostListed) return choices;
  Choice choice(space.axes().size(), 0);
  for (std::size_t axis = 0; axis < choice.size() && choices.size() <= most;) {
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
  Choice as_it_is = space.as_it_is();
  if (space.allows(as_it_is)) return as_it_is;
  if (!all.empty()) return all.front();
  std::mt19937 generator(seed);
  for (std::size_t i = 0; i < kMostDraws && space.size() > kMostListed; ++i) {
    Choice choice = drawn(space, generator);
    if (space.allows(choice)) return choice;
  }
  throw ConfigError("no choice of --vary is a machine that meets every --where; " + space.why_not(as_it_is));
}

/// With `step` values less or more of one axis, as far as the axis goes.
std::vector<Choice> neighbours_of(const Space& space, const Choice& choice, std::size_t step) {
  std::vector<Choice> neighbours;
  for (std::size_t axis = 0; axis < choice.size(); ++axis) {
    const std::size_t last = space.axes()[axis].values.size() - 1;
    for (const std::size_t value : {choice[axis] - std::min(choice[axis], step), std::min(last, choice[axis] + step)}) {
      if (value == choice[axis]) continue;
      neighbours.push_back(choice);
      neighbours.back()[axis] = value;
    }
  }
  return neighbours;
}

/// A quarter of the longest axis, as a power of two.
std::size_t first_step(const Space& space) {
  std::size_t most = 1;
  for (const Axis& axis : space.axes()) most = std::max(most, axis.values.size());
  return std::max<std::size_t>(1, std::bit_floor(most / 4));
}

/// Whether `a` is better; both are known.
bool is_better(const Trials& trials, const Choice& a, const Choice& b) { return trials.losses(a) < trials.losses(b); }

/// Goes from a choice to its best neighbour as long as that is better, with half the step where none is. Whether in the
/// end none is at one value's distance, all of them having been tried.
bool climb(const Space& space, Choice at, std::size_t step, Trials& trials) {
  while (true) {
    std::vector<Choice> neighbours = neighbours_of(space, at, step);
    trials.run(neighbours);
    const std::size_t all = neighbours.size();
    std::erase_if(neighbours, [&trials](const Choice& choice) { return !trials.knows(choice); });
    Choice best = at;
    for (const Choice& one : neighbours) {
      if (is_better(trials, one, best)) best = one;
    }
    if (best != at) {
      at = best;
    } else if (step == 1 || trials.left() == 0) {
      return step == 1 && neighbours.size() == all;
    } else {
      step /= 2;
    }
  }
}

/// In rounds: what pagmo breeds with an eighth of the budget, then from the best of these to its neighbours. Whether no
/// neighbour of the best is better.
bool look_for_best(const Space& space, const Question& question, Trials& trials) {
  const std::size_t share = std::max(kFewestOfRound, question.budget / kRounds);
  const std::size_t last = std::min(question.budget / kRounds, 2 * space.axes().size());  // for its neighbours
  trials.keep_back(last);
  for (std::uint32_t round = 0; trials.left() > 0; ++round) {
    const std::size_t before = trials.tried().size();
    trials.keep_back(last + trials.left() - std::min(trials.left(), share));
    optimise(space, 1, question.seed + round * kSeedsOfRound, round == 0 ? trials.tried().front().choice : Choice{},
             trials);
    trials.keep_back(last);
    if (trials.tried().size() == before) break;  // nothing new comes any more
    Choice start = trials.tried().back().choice;
    for (std::size_t i = before; i < trials.tried().size(); ++i) {
      if (is_better(trials, trials.tried()[i].choice, start)) start = trials.tried()[i].choice;
    }
    static_cast<void>(climb(space, start, first_step(space), trials));
  }
  trials.keep_back(0);
  const std::optional<std::size_t> best = trials.best();
  return best && climb(space, trials.tried()[*best].choice, 1, trials);
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
      for (Choice& one : neighbours_of(space, trials.tried()[i].choice, 1)) neighbours.push_back(std::move(one));
    }
    trials.run(neighbours);
  }
  return trials.left() > 0;
}

/// Of what is good.
std::vector<double> losses_of(const Question& question, const Candidate& candidate) {
  std::vector<double> losses = candidate.values;
  for (std::size_t i = 0; i < losses.size(); ++i) losses[i] *= question.goals[i].maximise ? -1 : 1;
  return losses;
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

Goal goal_of(const std::string& option, const std::string& text, bool maximise) {
  const std::size_t equals = text.find('=');
  const std::string name(trimmed(text.substr(0, equals)));
  const bool is_named = equals != std::string::npos && name.find_first_not_of(kGoalCharacters) == std::string::npos;
  if (is_named && (find_topology_key(name) || is_section(name))) {
    throw ConfigError(option + " " + text + ": expected a name that no key of the machine has");
  }
  const std::string arithmetic = is_named ? std::string(trimmed(text.substr(equals + 1))) : text;
  const bool is_short = display_width(text) <= kLongestName;
  Goal goal{is_named   ? name
            : is_short ? text
                       : text.substr(0, kLongestName) + "…",
            Expression(option, arithmetic), maximise};
  goal.expression.require_same_dimensions(goal.expression);
  goal.is_named = is_named;
  return goal;
}

Found search(const Space& space, const Question& question, const EvaluateChoices& evaluate) {
  const std::size_t goals = question.goals.size();
  Trials trials(space, question, evaluate, question.budget);
  const std::vector<Choice> all = allowed_choices(space, question.budget);
  const bool tries_all = !all.empty() && all.size() <= question.budget;
  trials.run({first_choice(space, all, question.seed)});
  bool is_top = false;
  if (tries_all) {
    trials.run(all);
    is_top = true;
  } else if (goals == 1) {
    is_top = look_for_best(space, question, trials);
  } else {
    trials.keep_back(question.budget / kFrontShare);
    optimise(space, goals, question.seed, trials.tried().front().choice, trials);
    trials.keep_back(0);
    is_top = widen(space, question.seed, trials);
  }
  Found found = found_in(trials, goals);
  found.all = tries_all;
  found.no_neighbour_is_better = is_top;
  return found;
}

void count_in(Found& found, const Found& drawn, const Question& question) {
  const auto answers = [](const Found& of) { return of.best ? std::vector{*of.best} : of.front; };
  const std::vector<std::size_t> own = answers(found);
  std::vector<Candidate> all;
  std::vector<std::vector<double>> losses;
  const auto add = [&](const Candidate& candidate) {
    all.push_back(candidate);
    losses.push_back(losses_of(question, candidate));
  };
  for (const std::size_t i : own) add(found.tried[i]);
  for (const std::size_t i : answers(drawn)) {
    if (std::ranges::count(found.tried, drawn.tried[i].choice, &Candidate::choice) == 0) add(drawn.tried[i]);
  }
  if (losses.empty()) return;
  const auto least =
      static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin());  // of equals what was found
  const std::vector<std::size_t> kept = question.goals.size() == 1 ? std::vector{least} : not_dominated(losses);
  std::vector<std::size_t> front;
  for (const std::size_t i : kept) {
    if (i >= own.size()) found.tried.push_back(std::move(all[i]));
    front.push_back(i < own.size() ? own[i] : found.tried.size() - 1);
    found.no_neighbour_is_better = found.no_neighbour_is_better && i < own.size();
  }
  if (question.goals.size() == 1) {
    found.best = front.front();
  } else {
    found.front = std::move(front);
  }
}

Found random_search(const Space& space, const Question& question, const EvaluateChoices& evaluate, std::size_t count) {
  Trials trials(space, question, evaluate, count);
  std::mt19937 generator(question.seed + 1);
  std::vector<Choice> choices;
  std::set<Choice> seen;
  for (std::size_t i = 0; i < kMostDraws && choices.size() < count; ++i) {
    Choice choice = drawn(space, generator);
    if (seen.insert(choice).second && space.allows(choice)) choices.push_back(std::move(choice));
  }
  trials.run(choices);
  return found_in(trials, question.goals.size());
}

}  // namespace kernbench
