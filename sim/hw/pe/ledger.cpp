#include "sim/hw/pe/ledger.hpp"

#include <algorithm>
#include <numeric>

namespace kernbench {

Picoseconds LedgerTotals::sum() const { return std::accumulate(times_.begin(), times_.end(), Picoseconds{}); }

Picoseconds Ledger::Closed::waits() const { return time.sum() - time.of(Cause::kMac) - time.of(Cause::kArrayFill); }

Picoseconds Ledger::Closed::worth(Cause cause) const {
  return is_array(cause) ? path.of(cause) : std::min(path.of(cause), waits());
}

Cause Ledger::Closed::limit() const {
  if (kLittle * waits() < time.sum()) {
    return time.of(Cause::kArrayFill) > time.of(Cause::kMac) ? Cause::kArrayFill : Cause::kMac;
  }
  return *std::ranges::max_element(kCauses.values(), {}, [this](Cause cause) { return worth(cause); });
}

/// Packets that queue for the same thing one after the other are one interval; came_by() is never told of those.
bool Ledger::goes_on(const Interval& last, Cause cause, Picoseconds from) {
  const bool queues = cause == Cause::kHbm || cause == Cause::kLinks || cause == Cause::kTcmPort;
  return queues && last.cause == cause && last.to == from;
}

Reason Ledger::add(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  if (!kept_ || to <= from) return before;
  Reason added = first_ + static_cast<Reason>(intervals_.size());
  if (before == added - 1 && before >= first_ && goes_on(intervals_.back(), cause, from)) {
    intervals_.back().to = to;
    --added;
  } else {
    intervals_.push_back({from, to, before, cause, path_at(from, before)});
  }
  intervals_.back().path.add(cause, to - from);
  if (to > latest_end_) {
    latest_ = added;
    latest_end_ = to;
  }
  return added;
}

void Ledger::came_by(Reason reason, Cause cause, Picoseconds from, Reason before) {
  if (!kept_ || reason < first_) return;
  Interval& told = intervals_[static_cast<std::size_t>(reason - first_)];
  told.path = path_at(from, before);
  told.path.add(cause, told.to - from);
}

const std::vector<Ledger::Part>& Ledger::divide(Picoseconds length, Picoseconds to, Reason reason) {
  parts_.clear();
  const auto take = [&](Cause cause, Picoseconds part) {
    part = std::min(part, length);
    if (part <= Picoseconds{}) return;
    parts_.push_back({cause, part});
    length -= part;
    to -= part;
  };
  while (length > Picoseconds{} && to > Picoseconds{} && reason != kArrayAtWork) {
    if (reason == kNoReason) {
      take(Cause::kUntold, to);
    } else if (reason < first_) {
      break;  // the array has worked since
    } else {
      const Interval& cause = interval(reason);
      take(Cause::kUntold, to - cause.to);
      take(cause.cause, to - cause.from);
      reason = cause.before;
    }
  }
  return parts_;
}

Reason Ledger::deliver(Cause own, const Delivery& delivery) {
  const auto& [before_end, before, start, end, input, queued] = delivery;
  if (!kept_ || queued || end <= before_end) return add(own, before_end, end, before);
  longest_ = std::max(longest_, end - start);
  LedgerTotals path = path_at(start, input);
  path.add(own, end - start);
  const std::vector<Part>& parts = divide(end - before_end, start, input);
  Picoseconds at = end;
  for (const Part& part : parts) at -= part.length;
  Reason last = add(own, before_end, at, before);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    last = add(part->cause, at, at + part->length, last);
    at += part->length;
  }
  intervals_.back().path = path;
  return last;
}

LedgerTotals Ledger::path_at(Picoseconds at, Reason reason) const {
  LedgerTotals path;
  if (reason == kArrayAtWork) {  // it goes on with the next tile at once, or has not begun with it
    path = path_;
    path.add(Cause::kMac, at - worked_);
    return path;
  }
  while (reason >= first_ && at < interval(reason).from) reason = interval(reason).before;
  if (reason < first_) {
    path.add(Cause::kUntold, at);
    return path;
  }
  path = interval(reason).path;
  path.add(at > interval(reason).to ? Cause::kUntold : interval(reason).cause, at - interval(reason).to);
  return path;
}

void Ledger::work(Picoseconds from, Picoseconds filled, Picoseconds to, Reason reason) {
  if (!kept_) return;
  if (from > worked_) {
    for (const Part& part : divide(from - worked_, from, reason)) time_.add(part.cause, part.length);
    path_ = path_at(from, reason);
  }
  for (LedgerTotals* totals : {&time_, &path_}) {
    totals->add(Cause::kArrayFill, filled - from);
    totals->add(Cause::kMac, to - filled);
  }
  longest_ = std::max(longest_, to - from);
  worked_ = to;
  forget();
}

void Ledger::forget() {
  while (intervals_.size() > kRemembered && intervals_.front().to + 2 * longest_ <= worked_) {
    intervals_.pop_front();
    ++first_;
  }
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

void Ledger::received(Picoseconds from, Picoseconds now) {
  waited(from, now, add(Cause::kReceive, from, now, called(from)));
}

Ledger::Closed Ledger::close(Picoseconds end) {
  if (!kept_) return {};
  if (end > worked_) {
    for (const Part& part : divide(end - worked_, end, latest_)) time_.add(part.cause, part.length);
    path_ = path_at(end, latest_);
    worked_ = end;
  }
  return {time_, path_};
}

}  // namespace kernbench
