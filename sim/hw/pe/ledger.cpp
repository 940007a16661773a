#include "sim/hw/pe/ledger.hpp"

#include <algorithm>
#include <numeric>

namespace kernbench {

Picoseconds LedgerTotals::sum() const { return std::accumulate(times_.begin(), times_.end(), Picoseconds{}); }

const Ledger::Interval* Ledger::find(Reason reason) const {
  return reason < first_ ? nullptr : &intervals_[static_cast<std::size_t>(reason - first_)];
}

Reason Ledger::add(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
  if (!kept_ || to <= from) return before;
  Reason added = first_ + static_cast<Reason>(intervals_.size()) - 1;
  // What goes on without anything else in between is one interval.
  if (before == added && before >= first_ && intervals_.back().cause == cause && intervals_.back().to == from) {
    intervals_.back().to = to;
  } else {
    intervals_.push_back({from, to, before, cause});
    ++added;
  }
  if (to > latest_end_) {
    latest_ = added;
    latest_end_ = to;
  }
  return added;
}

void Ledger::charge(Picoseconds from, Picoseconds to, Reason reason) {
  while (to > from) {
    const Interval* interval = find(reason);
    const Picoseconds told = interval == nullptr ? from : std::max(from, std::min(interval->to, to));
    totals_.add(Cause::kUntold, to - told);
    if (interval == nullptr) return;
    to = std::max(from, std::min(told, interval->from));
    totals_.add(interval->cause, told - to);
    reason = interval->before;
  }
}

void Ledger::work(Picoseconds from, Picoseconds to, Reason reason) {
  if (!kept_) return;
  charge(worked_, from, reason);
  totals_.add(Cause::kMac, to - from);
  worked_ = to;
  forget();
}

void Ledger::forget() {
  while (!intervals_.empty() && intervals_.front().to <= worked_) {
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

LedgerTotals Ledger::close(Picoseconds end) {
  if (!kept_) return {};
  charge(worked_, end, latest_);
  worked_ = std::max(worked_, end);
  return totals_;
}

}  // namespace kernbench
