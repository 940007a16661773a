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

/// Where paths lead to that are followed back: each of a turn's intervals is led up to by another one, so that all come
/// to some that go round, or to the array's work.
class Rounds {
 public:
  struct Round {
    std::int64_t turns = 0;  ///< after which it comes to the same interval
    std::vector<std::size_t> intervals{};
  };
  /// What leads up to each interval; nothing: the array's work.
  explicit Rounds(std::vector<std::optional<InTurn>> leads)
      : leads_(std::move(leads)), of_(leads_.size(), kUnknown), turns_(leads_.size(), 0) {
    for (std::size_t start = 0; start < leads_.size(); ++start) follow(start);
  }
  /// By interval: 0, the array's work, or 1 and more, one of all().
  [[nodiscard]] const std::vector<std::uint32_t>& of() const { return of_; }
  [[nodiscard]] const std::vector<Round>& all() const { return all_; }
  /// Turns that a step, and the way to a round, go back at most, together.
  [[nodiscard]] std::int64_t farthest() const {
    std::int64_t step = 0;
    for (const std::optional<InTurn>& lead : leads_) step = std::max(step, lead ? lead->turns_ago : 0);
    return step + std::ranges::max(turns_);
  }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  static constexpr std::uint32_t kOnTheWay = UINT32_MAX - 1;

  void follow(std::size_t at) {
    std::vector<std::size_t> way;
    for (; of_[at] == kUnknown && leads_[at]; at = leads_[at]->number) {
      of_[at] = kOnTheWay;
      way.push_back(at);
    }
    if (of_[at] == kUnknown) of_[at] = 0;
    if (of_[at] == kOnTheWay) close(way, at);
    for (auto last = way.rbegin(); last != way.rend(); ++last) {
      const InTurn& lead = *leads_[*last];
      of_[*last] = of_[lead.number];
      turns_[*last] = turns_[lead.number] + lead.turns_ago;
    }
  }
  /// The way has come to `at` again: it ends there from now on.
  void close(std::vector<std::size_t>& way, std::size_t at) {
    const auto first = std::ranges::find(way, at);
    Round& round = all_.emplace_back();
    round.intervals.assign(first, way.end());
    for (const std::size_t interval : round.intervals) {
      round.turns += leads_[interval]->turns_ago;
      of_[interval] = static_cast<std::uint32_t>(all_.size());
    }
    way.erase(first, way.end());
  }

  std::vector<std::optional<InTurn>> leads_;
  std::vector<std::uint32_t> of_;
  std::vector<std::int64_t> turns_;  ///< by interval: back to its round
  std::vector<Round> all_;
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

bool Ledger::had_same_steps(Reason turn, std::int64_t turns) const {
  if (next() - (turns + 1) * turn < first_) return false;
  for (Reason reason = next() - turns * turn; reason < next(); ++reason) {
    Step earlier = step_to(reason - turn, turn);
    if (!earlier.array && earlier.before >= first_) earlier.before += turn;
    if (earlier != step_to(reason, turn)) return false;
  }
  return true;
}

std::optional<Ledger::Growth> Ledger::growth(Reason turn, Picoseconds at_work) const {
  const Reason begin = next() - turn;
  std::vector<LedgerTotals> by;
  std::vector<std::optional<InTurn>> leads;
  for (Reason reason = begin; reason < next(); ++reason) {
    const Step step = step_to(reason, turn);
    if (!step.array && step.before < first_) return {};
    by.push_back(step.by);
    leads.push_back(step.array ? std::nullopt : std::optional(InTurn(step.before, begin, turn)));
  }
  const Rounds rounds(std::move(leads));
  if (!had_same_steps(turn, std::max<std::int64_t>(1, rounds.farthest() - 1))) return {};
  Growth growth{turn, rounds.of(), {{}}};
  if (array_ >= first_ && array_ < begin) growth.rounds[0].by.add(interval(array_).cause, at_work);
  for (const Rounds::Round& round : rounds.all()) {
    if (round.turns == 0) return {};
    Growth::Round& grows = growth.rounds.emplace_back();
    grows.turns = round.turns;
    for (const std::size_t interval : round.intervals) grows.by.add(by[interval], 1);
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
