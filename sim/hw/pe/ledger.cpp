#include "sim/hw/pe/ledger.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernbench {

Picoseconds LedgerTotals::sum() const { return std::accumulate(times_.begin(), times_.end(), Picoseconds{}); }

void LedgerTotals::add(const LedgerTotals& other, std::int64_t times) {
  for (std::size_t i = 0; i < times_.size(); ++i) times_[i] += times * other.times_[i];
}

Picoseconds LedgerTotals::of_array() const {
  Picoseconds sum;
  for (const CauseFacts& cause : kCauseFacts) sum += cause.array ? of(cause.value) : Picoseconds{};
  return sum;
}

Picoseconds Ledger::Closed::waits() const { return time.sum() - time.of_array(); }

Picoseconds Ledger::Closed::worth(Cause cause) const {
  const CauseFacts& facts = facts_of(cause);
  const Picoseconds own = facts.array ? path.of_array() : std::min(path.of(cause), waits());
  return facts.memory ? own : std::min(own, time.sum() - memory);
}

Cause Ledger::Closed::limit() const {
  if (kLittle * waits() < time.sum()) {
    const bool waits_for_memory = memory > time.sum() - waits();
    const auto time_of = [&](const CauseFacts& one) {
      return (waits_for_memory ? one.memory : one.array) ? time.of(one.value) : Picoseconds{-1};
    };
    return std::ranges::max_element(kCauseFacts, {}, time_of)->value;
  }
  return *std::ranges::max_element(kCauses.values(), {},
                                   [this](Cause cause) { return std::pair(worth(cause), time.of(cause)); });
}

/// Packets that queue for the same thing one after the other are one interval.
bool Ledger::goes_on(const Interval& last, Cause cause, Picoseconds from) {
  return facts_of(cause).queues && last.cause == cause && last.path_cause == cause && last.path_from == last.from &&
         last.to == from;
}

Reason Ledger::append(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  const Reason added = next();
  if (repetition_ != nullptr) note(cause, from, to, before);
  const Reason path_before = path_end(from, before);
  intervals_.push_back({from, to, before, from, path_before, cause, cause, grown_since(path_before)});
  if (to > latest_end_) {
    latest_ = added;
    latest_end_ = to;
  }
  return added;
}

Reason Ledger::add_some(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  const Reason last = next() - 1;
  if (before != last || before < first_ || !goes_on(intervals_.back(), cause, from)) {
    return append(cause, from, to, before);
  }
  if (repetition_ != nullptr) note(cause, from, to, before);
  intervals_.back().to = to;
  if (to > latest_end_) {
    latest_ = last;
    latest_end_ = to;
  }
  return last;
}

void Ledger::came_by(Reason reason, Cause cause, Picoseconds from, Reason before) {
  if (!kept_ || reason < first_) return;
  if (repetition_ != nullptr) note(cause, from, interval(reason).to, before);
  Interval& told = intervals_[place_of(reason)];
  told.path_from = from;
  told.path_before = path_end(from, before);
  told.path_cause = cause;
  told.grown = grown_since(told.path_before);
}

const std::vector<Ledger::Part>& Ledger::divide(Picoseconds length, Picoseconds to, Reason reason) {
  parts_.clear();
  const Picoseconds begin = std::max(to - length, Picoseconds{});
  const auto take = [&](Cause cause, Picoseconds from) {
    if (from >= to) return;
    if (parts_.empty() || parts_.back().cause != cause) parts_.push_back({cause, {}});
    from = std::max(from, begin);
    parts_.back().length += to - from;
    to = from;
  };
  while (to > begin && reason >= first_) {
    const Interval& cause = interval(reason);
    take(Cause::kUntold, cause.to);
    if (to > begin) take(cause.cause, cause.from);
    reason = cause.before;
  }
  if (reason == kNoReason) take(Cause::kUntold, begin);
  return parts_;  // else the array has worked since
}

Reason Ledger::deliver(Cause own, const Delivery& delivery) {
  const auto& [before_end, before, start, end, input, queued] = delivery;
  if (!kept_ || queued || end <= before_end) return add(own, before_end, end, before);
  longest_ = std::max(longest_, end - start);
  const std::vector<Part>& parts = divide(end - before_end, start, input);
  Picoseconds at = end;
  for (const Part& part : parts) at -= part.length;
  Reason last = add(own, before_end, at, before);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    last = append(part->cause, at, at + part->length, last);
    at += part->length;
  }
  came_by(last, own, start, input);
  return last;
}

Reason Ledger::path_end(Picoseconds at, Reason reason) const {
  if (reason == kArrayAtWork) return array_;
  while (reason >= first_ && at < interval(reason).from) reason = interval(reason).before;
  return reason == kArrayAtWork ? array_ : reason >= first_ ? reason : kNoReason;
}

Ledger::Paths::Paths(const Ledger& ledger, std::vector<Wanted> wanted) : ledger_(ledger), numbers_(wanted.size()) {
  std::vector<std::size_t> places;
  for (std::size_t place = wanted.size(); place-- > 0;) {
    if (wanted[place] == Wanted::kNo) continue;
    places.push_back(place);
    const Reason before = ledger.intervals_[place].path_before;
    if (before < ledger.first_) continue;
    Wanted& leads_here = wanted[ledger.place_of(before)];
    leads_here = leads_here == Wanted::kNo ? Wanted::kByOne : Wanted::kYes;
  }
  std::ranges::reverse(places);
  LedgerTotals sum;
  Reason last = kNoReason;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Interval& interval = ledger.intervals_[places[i]];
    if (i == 0 || interval.path_before != last) {
      sum = to(interval.path_from, interval.path_before);
    } else {
      move_end(sum, ledger.interval(last), interval.path_from);
    }
    sum.add(ledger.grown_[interval.grown], 1);
    sum.add(interval.path_cause, interval.to - interval.path_from);
    last = ledger.first_ + static_cast<Reason>(places[i]);
    const bool next_goes_on = i + 1 < places.size() && ledger.intervals_[places[i + 1]].path_before == last;
    if (wanted[places[i]] == Wanted::kByOne && next_goes_on) continue;
    numbers_[places[i]] = sums_.size();
    sums_.push_back(sum);
  }
}

/// The array goes on with the next tile at once, or has not begun with it.
void Ledger::Paths::move_end(LedgerTotals& sum, const Interval& last, Picoseconds at) {
  sum.add(at > last.to && !facts_of(last.cause).array ? Cause::kUntold : last.cause, at - last.to);
}

LedgerTotals Ledger::Paths::to(Picoseconds at, Reason end) const {
  if (end <= kPaths) return ledger_.paths_[static_cast<std::size_t>(kPaths - end)];
  LedgerTotals path;
  if (end == kNoReason) {
    path.add(Cause::kUntold, ledger_.since_start(at));
    return path;
  }
  path = sums_[numbers_[ledger_.place_of(end)]];
  move_end(path, ledger_.interval(end), at);
  return path;
}

Reason Ledger::array_works(Cause cause, Picoseconds from, Picoseconds to, Reason path_before) {
  intervals_.push_back({from, to, kArrayAtWork, from, path_before, cause, cause, grown_since(path_before)});
  return array_ = first_ + static_cast<Reason>(intervals_.size()) - 1;
}

void Ledger::work(Picoseconds from, Picoseconds filled, Picoseconds to, Reason reason) {
  if (!kept_) return;
  if (repetition_ != nullptr) note(Cause::kMac, from, filled, reason);
  Reason before = array_;
  if (from > worked_) {
    for (const Part& part : divide(from - worked_, from, reason)) time_.add(part.cause, part.length);
    before = path_end(from, reason);
  }
  time_.add(Cause::kArrayFill, filled - from);
  time_.add(Cause::kMac, to - filled);
  if (array_ != kNoReason && from == worked_ && filled == from) {
    intervals_[place_of(array_)].to = to;
  } else {
    if (filled > from) before = array_works(Cause::kArrayFill, from, filled, before);
    array_works(Cause::kMac, filled, to, before);
  }
  longest_ = std::max(longest_, to - from);
  worked_ = to;
  forget();
}

void Ledger::forget() {
  if (intervals_.size() < look_at_) return;
  const auto asked_for = [this](const Interval& interval) {
    return !facts_of(interval.cause).array && interval.to + 2 * longest_ > worked_;
  };
  const auto oldest = intervals_.begin();
  const auto kept = std::find_if(oldest, intervals_.end() - static_cast<std::ptrdiff_t>(kept_intervals_), asked_for);
  forget(static_cast<std::size_t>(kept - oldest));
  look_at_ = std::max(intervals_.size(), kept_intervals_) + kForgotten;
}

void Ledger::forget(std::size_t count) {
  const Reason first = first_ + static_cast<Reason>(count);
  if (array_ < first) {  // it may go on with this work
    array_works(Cause::kMac, worked_, worked_, array_);
  }
  const auto leads_back = [first](const Interval& interval) {
    return interval.path_before < first && interval.path_before != kNoReason;
  };
  std::vector<Paths::Wanted> wanted(count);
  for (std::size_t place = count; place < intervals_.size(); ++place) {
    const Interval& interval = intervals_[place];
    if (leads_back(interval) && interval.path_before >= first_)
      wanted[place_of(interval.path_before)] = Paths::Wanted::kYes;
  }
  const Paths forgotten(*this, std::move(wanted));
  std::vector<LedgerTotals> paths;
  for (std::size_t place = count; place < intervals_.size(); ++place) {
    Interval& interval = intervals_[place];
    if (!leads_back(interval)) continue;
    paths.push_back(forgotten.to(interval.path_from, interval.path_before));
    paths.back().add(grown_[interval.grown], 1);
    interval.path_before = kPaths - static_cast<Reason>(paths.size() - 1);
    interval.grown = 0;
  }
  paths_ = std::move(paths);
  std::erase_if(jumps_, [first](const Jump& jump) { return jump.at <= first; });
  intervals_.erase(intervals_.begin(), intervals_.begin() + static_cast<std::ptrdiff_t>(count));
  first_ = first;
}

Reason Ledger::called(Picoseconds now) {
  program_ = add(Cause::kControl, program_at_, now, program_);
  program_at_ = std::max(program_at_, now);
  return program_;
}

void Ledger::waited(Picoseconds from, Picoseconds now, Reason reason) {
  if (now == from) return;
  program_ = reason;
  program_at_ = now;
}

void Ledger::received(Picoseconds from, Picoseconds now, Cause cause) {
  waited(from, now, add(cause, from, now, called(from)));
}

Ledger::Closed Ledger::close(Picoseconds end) {
  if (!kept_) return {};
  if (latest_end_ < end) static_cast<void>(called(end));  // the program's last calls
  Reason last = array_;
  if (end > worked_) {
    // What goes on after the end is for other launches; the program has waited for what it needed.
    const Reason latest = latest_end_ > end ? program_ : latest_;
    for (const Part& part : divide(end - worked_, end, latest)) time_.add(part.cause, part.length);
    worked_ = end;
    last = path_end(end, latest);
  }
  std::vector<Paths::Wanted> wanted(intervals_.size());
  if (last >= first_) wanted[place_of(last)] = Paths::Wanted::kYes;
  LedgerTotals path = Paths(*this, std::move(wanted)).to(end, last);
  path.add(grown_[grown_since(last)], 1);
  return {.time = time_, .path = path};
}

}  // namespace kernbench
