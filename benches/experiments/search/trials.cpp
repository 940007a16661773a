#include "benches/experiments/search/trials.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr double kMissesTarget = 1e20;  ///< more than any goal's value
constexpr double kDoesNotRun = 1e25;
constexpr double kNoMachine = 1e26;
constexpr double kMostMissed = 1e4;

}  // namespace

Trials::Trials(const Space& space, const Question& question, const EvaluateChoices& evaluate, std::size_t budget)
    : space_(space), question_(question), evaluate_(evaluate), budget_(budget) {}

void Trials::run(const std::vector<Choice>& choices) {
  std::vector<Choice> fresh;
  std::set<Choice> seen;
  for (const Choice& choice : choices) {
    if (places_.contains(choice) || !seen.insert(choice).second) continue;
    if (!space_.allows(choice)) {
      places_[choice] = std::nullopt;
    } else if (fresh.size() < left()) {
      fresh.push_back(choice);
    }
  }
  if (fresh.empty()) return;
  std::vector<Row> rows = evaluate_(fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i) add(fresh[i], std::move(rows[i]));
}

Candidate judged(const Question& question, const MachineSpec& machine, const Choice& choice, Row row) {
  Candidate candidate{choice, std::move(row), {}};
  if (candidate.row.status != "ok") return candidate;
  for (const Goal& goal : question.goals) {
    goal.expression.require_metrics(candidate.row);
    if (goal.is_named && candidate.row.metrics.json().contains(goal.name)) {
      throw ConfigError("a goal is called " + goal.name + ": expected a name that no metric has");
    }
    candidate.values.push_back(goal.expression.value(machine, &candidate.row));
  }
  for (const Condition& target : question.targets) {
    target.require_metrics(candidate.row);
    if (target.holds(machine, &candidate.row)) continue;
    candidate.missed += std::max(target.missed_by(machine, &candidate.row), 1e-12);
  }
  if (!std::ranges::all_of(candidate.values, [](double value) { return std::isfinite(value); })) {
    candidate.values.clear();
    candidate.row.status = "failed";
    candidate.row.reason = "a goal has no finite value";
  }
  return candidate;
}

void Trials::add(const Choice& choice, Row row) {
  places_[choice] = tried_.size();
  tried_.push_back(judged(question_, space_.machine(choice), choice, std::move(row)));
}

bool Trials::knows(const Choice& choice) const { return places_.contains(choice); }

std::vector<double> Trials::losses(const Choice& choice) const {
  const std::optional<std::size_t> place = places_.at(choice);
  const std::size_t count = question_.goals.size();
  const auto all = [count](double loss) {
    std::vector<double> losses(count, loss);
    return losses;
  };
  if (!place) return all(kNoMachine);
  const Candidate& candidate = tried_[*place];
  if (candidate.values.empty()) return all(kDoesNotRun);
  if (candidate.missed > 0) return all(kMissesTarget * (1 + std::min(candidate.missed, kMostMissed)));
  std::vector<double> losses = candidate.values;
  for (std::size_t i = 0; i < count; ++i) losses[i] *= question_.goals[i].maximise ? -1 : 1;
  return losses;
}

std::optional<std::size_t> Trials::best() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < tried_.size(); ++i) {
    if (!tried_[i].is_good()) continue;
    if (!best || losses(tried_[i].choice) < losses(tried_[*best].choice)) best = i;
  }
  return best;
}

}  // namespace kernbench
