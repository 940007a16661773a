// The ledger of a run whose loops are counted on (adr/0047, 47.6).
#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/hw/pe/ledger.hpp"

namespace kernbench {

namespace {

/// Turns after which all paths have gone round, at most.
constexpr std::int64_t kMostTogether = 64;
/// In grown_: how far back the same is looked for. More than loops and paths that go round.
constexpr std::ptrdiff_t kLookedAt = 32;

/// Of an interval, in turns of which the last one begins at `begin`: its number in its turn, and how many turns that is
/// before the last one.
struct InTurn {
  std::size_t number = 0;
  std::int64_t turns_ago = 0;

  InTurn(Reason reason, Reason begin, Reason turn) {
    const Reason distance = reason - begin;
    turns_ago = distance >= 0 ? 0 : (turn - 1 - distance) / turn;
    number = static_cast<std::size_t>(distance + turns_ago * turn);
  }
};

}  // namespace

/// Times count from the array's last work, intervals back from the last one: so they are those of another turn.
void Ledger::note(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  repetition_->note(static_cast<std::uint64_t>(cause));
  repetition_->note(static_cast<std::uint64_t>((from - worked_).value));
  repetition_->note(static_cast<std::uint64_t>((to - from).value));
  repetition_->note(static_cast<std::uint64_t>(before >= first_ ? next() - before : before));
}

void Ledger::remember(std::size_t loop) { remembered_.at(loop) = {next(), worked_, passed_over_, time_}; }

Ledger::Step Ledger::step_to(Reason reason, Reason turn) const {
  const Interval& to = interval(reason);
  Step step{to.path_before, to.path_before == array_ && array_ < next() - turn, {}};
  if (step.array || to.path_before < first_) return step;
  step.by = grown_[to.grown];
  const Interval& before = interval(to.path_before);
  step.by.add(before.path_cause, before.to - before.path_from);
  Paths::move_end(step.by, before, to.path_from);
  return step;
}

std::optional<Ledger::Growth> Ledger::growth(Reason turn, Picoseconds at_work) const {
  const Reason begin = next() - turn;
  const auto size = static_cast<std::size_t>(turn);
  std::vector<Step> steps;
  std::int64_t farthest = 0;  // turns back to what leads up to an interval
  for (Reason reason = begin; reason < next(); ++reason) {
    steps.push_back(step_to(reason, turn));
    if (steps.back().array) continue;
    if (steps.back().before < first_) return {};
    farthest = std::max(farthest, InTurn(steps.back().before, begin, turn).turns_ago);
  }
  // Each interval leads to one of a round, or to the array's work; so many turns back.
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  constexpr std::uint32_t kOnTheWay = UINT32_MAX - 1;
  Growth growth{turn, std::vector<std::uint32_t>(size, kUnknown), {{}}};
  if (array_ >= first_ && array_ < begin) growth.rounds[0].by.add(interval(array_).cause, at_work);
  std::vector<std::int64_t> turns_to_round(size, 0);
  std::int64_t longest = 0;
  std::vector<std::size_t> way;
  for (std::size_t start = 0; start < size; ++start) {
    way.clear();
    std::size_t at = start;
    while (growth.round[at] == kUnknown && !steps[at].array) {
      growth.round[at] = kOnTheWay;
      way.push_back(at);
      at = InTurn(steps[at].before, begin, turn).number;
    }
    if (growth.round[at] == kUnknown) growth.round[at] = 0;  // of the array
    if (growth.round[at] == kOnTheWay) {
      Growth::Round round{0, {}};
      const auto first = std::ranges::find(way, at);
      for (auto of = first; of != way.end(); ++of) {
        round.turns += InTurn(steps[*of].before, begin, turn).turns_ago;
        round.by.add(steps[*of].by, 1);
        growth.round[*of] = static_cast<std::uint32_t>(growth.rounds.size());
      }
      if (round.turns == 0) return {};
      growth.rounds.push_back(round);
      way.erase(first, way.end());
    }
    for (auto of = way.rbegin(); of != way.rend(); ++of) {
      const InTurn before(steps[*of].before, begin, turn);
      growth.round[*of] = growth.round[before.number];
      turns_to_round[*of] = turns_to_round[before.number] + before.turns_ago;
      longest = std::max(longest, turns_to_round[*of]);
    }
  }
  // What later turns lead to lies up to `farthest` turns back, and from there paths lead to rounds by these steps.
  const std::int64_t like_this = std::max<std::int64_t>(1, farthest + longest - 1);
  if (next() - (like_this + 1) * turn < first_) return {};
  for (Reason reason = next() - like_this * turn; reason < next(); ++reason) {
    Step earlier = step_to(reason - turn, turn);
    if (!earlier.array && earlier.before >= first_) earlier.before += turn;
    if (earlier != step_to(reason, turn)) return {};
  }
  return growth;
}

std::int64_t Ledger::repeats(std::size_t loop) {
  if (!kept_) return 1;
  const Remembered& from = remembered_.at(loop);
  const Reason turn = next() - from.next;
  growth_.reset();
  if (turn > 0 && next() - 2 * turn >= first_)
    growth_ = growth(turn, worked_ - from.worked + passed_over_ - from.passed_over);
  if (!growth_) return 0;
  std::int64_t together = 1;
  for (const Growth::Round& round : growth_->rounds) {
    together = std::lcm(together, round.turns);
    if (together > kMostTogether) return 0;
  }
  return together;
}

std::uint32_t Ledger::kept_growth(const LedgerTotals& grown) {
  const auto last = grown_.rbegin();
  const auto found = std::find(last, last + std::min(kLookedAt, std::ssize(grown_)), grown);
  if (found != last + std::min(kLookedAt, std::ssize(grown_))) {
    return static_cast<std::uint32_t>(std::ssize(grown_) - 1 - (found - last));
  }
  grown_.push_back(grown);
  return static_cast<std::uint32_t>(grown_.size() - 1);
}

std::uint32_t Ledger::grown_since(Reason before) {
  if (jumps_.empty() || before < first_ || before >= jumps_.back().at) return 0;
  LedgerTotals sum;
  for (auto jump = jumps_.rbegin(); jump != jumps_.rend() && before < jump->at;) {
    if (before == jump->array) {
      sum.add(jump->of_array, 1);
      jump += jump->array_jumps;
    } else {
      sum.add(grown_[jump->grown[InTurn(before, jump->at - jump->turn, jump->turn).number]], 1);
      ++jump;
    }
  }
  return kept_growth(sum);
}

void Ledger::repeat(std::size_t loop, std::int64_t times, Picoseconds turn) {
  if (!kept_) return;
  LedgerTotals of_time = time_;
  of_time.add(remembered_.at(loop).time, -1);
  time_.add(of_time, times);
  std::vector<std::uint32_t> grown;
  for (const Growth::Round& round : growth_->rounds) {
    LedgerTotals by;
    by.add(round.by, times / round.turns);
    grown.push_back(kept_growth(by));
  }
  Jump jump;
  jump.at = next();
  jump.turn = growth_->turn;
  for (const std::uint32_t round : growth_->round) jump.grown.push_back(grown[round]);
  if (array_ >= first_ && array_ < jump.at - jump.turn) {
    jump.array = array_;
    jump.of_array = grown_[grown[0]];
    jump.array_jumps = 1;
    if (!jumps_.empty() && jumps_.back().array == array_) {
      jump.of_array.add(jumps_.back().of_array, 1);
      jump.array_jumps += jumps_.back().array_jumps;
    }
  }
  jumps_.push_back(std::move(jump));
  passed_at_ = worked_;
  passed_over_ += times * turn;
}

}  // namespace kernbench
