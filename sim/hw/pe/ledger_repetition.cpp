// The ledger of a run whose loops are counted on (adr/0047, 47.6).
#include <algorithm>
#include <utility>

#include "sim/hw/pe/ledger.hpp"

namespace kernbench {

/// Times count from the array's last work, intervals back from the last one: so they are those of another turn.
void Ledger::note(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  repetition_->note(static_cast<std::uint64_t>(cause));
  repetition_->note(static_cast<std::uint64_t>((from - worked_).value));
  repetition_->note(static_cast<std::uint64_t>((to - from).value));
  repetition_->note(static_cast<std::uint64_t>(before >= first_ ? next() - before : before));
}

void Ledger::remember(std::size_t loop) { remembered_.at(loop) = {next(), worked_, time_, paths_passed_over_}; }

std::optional<LedgerTotals> Ledger::growth(Reason turn, Reason base) const {
  // Down to what lies before `base`: there it leaves `before` at `at`.
  struct Path {
    Reason before = kNoReason;
    Picoseconds at;
    LedgerTotals since;
  };
  std::vector<Path> paths;
  paths.reserve(static_cast<std::size_t>(next() - base));
  for (Reason reason = base; reason < next(); ++reason) {
    const Interval& last = interval(reason);
    Path path{last.path_before, last.path_from, {}};
    if (last.path_before >= base) {
      path = paths[static_cast<std::size_t>(last.path_before - base)];
      Paths::move_end(path.since, interval(last.path_before), last.path_from);
    }
    path.since.add(last.path_cause, last.to - last.path_from);
    paths.push_back(path);
  }
  std::optional<LedgerTotals> same;
  for (auto later = paths.end() - 2 * turn; later != paths.end(); ++later) {
    const Path& earlier = *(later - turn);
    if (later->before != earlier.before) return {};
    LedgerTotals grown = later->since;
    grown.add(earlier.since, -1);
    if (later->before >= first_) {
      const Interval& common = interval(later->before);
      Paths::move_end(grown, common, common.to + (later->at - earlier.at));
    } else if (later->at != earlier.at) {
      return {};
    }
    if (same && grown != *same) return {};
    same = grown;
  }
  return same;
}

std::optional<LedgerTotals> Ledger::turn_of_paths(std::size_t loop) const {
  constexpr Reason kMeet = 256;  // intervals before the turns, in which paths mostly meet
  const Reason turn = next() - remembered_.at(loop).next;
  const Reason three_turns_ago = next() - 3 * turn;
  if (turn <= 0 || three_turns_ago < first_) return {};
  std::optional<LedgerTotals> grown = growth(turn, std::max(first_, three_turns_ago - kMeet));
  if (!grown) grown = growth(turn, first_);
  if (!grown) return {};
  // The array's work without a pause is one interval, however old.
  if (const Picoseconds at_work = worked_ - remembered_.at(loop).worked; array_ < next() - turn && at_work.value > 0) {
    LedgerTotals of_array;
    of_array.add(interval(array_).cause, at_work);
    if (*grown != of_array) return {};
  }
  grown->add(paths_passed_over_, 1);
  grown->add(remembered_.at(loop).passed_over, -1);
  return grown;
}

bool Ledger::repeats(std::size_t loop) {
  if (!kept_) return true;
  turn_paths_ = turn_of_paths(loop);
  return turn_paths_.has_value();
}

void Ledger::repeat(std::size_t loop, std::int64_t times, Picoseconds turn) {
  if (!kept_) return;
  const LedgerTotals of_paths = *turn_paths_;
  LedgerTotals of_time = time_;
  of_time.add(remembered_.at(loop).time, -1);
  time_.add(of_time, times);
  // Every path comes from one of those that lead back to what is forgotten, or to the start.
  std::vector<LedgerTotals> paths;
  const std::vector<Paths::Wanted> none(intervals_.size());
  const Paths forgotten(*this, none);
  for (Interval& interval : intervals_) {
    if (interval.path_before >= first_) continue;
    LedgerTotals path = forgotten.to(interval.path_from, interval.path_before);
    path.add(of_paths, times);
    paths.push_back(path);
    interval.path_before = kPaths - static_cast<Reason>(paths.size() - 1);
  }
  paths_ = std::move(paths);
  paths_passed_over_.add(of_paths, times);
  passed_at_ = worked_;
  passed_over_ += times * turn;
}

}  // namespace kernbench
