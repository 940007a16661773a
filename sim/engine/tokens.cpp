#include "sim/engine/tokens.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"

namespace kernbench {

namespace {

constexpr auto kIsEarlier = [](const auto& a, const auto& b) { return a.at < b.at; };

}  // namespace

Tokens::Tokens(Calendar& calendar, std::string name, std::int64_t count)
    : calendar_(calendar), name_(std::move(name)), held_(count) {
  announced_.push_back({Picoseconds{}, count, kNoReason});
  calendar.enroll(*this);
}

void Tokens::release(std::int64_t count, Picoseconds at, Reason reason) {
  calendar_.note(at);
  held_ += count;
  announced_.insert({at, count, reason}, kIsEarlier);
  if (waiter_ && take_announced()) calendar_.schedule(std::exchange(waiter_, nullptr), resume_at_);
}

bool Tokens::take(std::int64_t count, Picoseconds not_before, Picoseconds service) {
  KB_CHECK(!waiter_, name_ + ": a second acquirer waits");
  missing_ = count;
  granted_ = std::max(not_before, calendar_.now());
  service_ = service;
  held_by_.reset();
  return take_announced();
}

bool Tokens::take_announced() {
  while (missing_ > 0 && !announced_.empty()) {
    Announced& first = announced_.front();
    const std::int64_t taken = std::min(missing_, first.count);
    missing_ -= taken;
    held_ -= taken;
    taken_ += taken;
    first.count -= taken;
    if (first.at > granted_) {
      granted_ = first.at;
      held_by_ = first.reason;
    }
    if (first.count == 0) announced_.pop_front();
  }
  if (missing_ > 0) return false;
  resume_at_ = granted_ + service_;
  return true;
}

/// Where each turn leaves more or fewer of them, as many as a turn takes have to be there when it begins: then it
/// matters to nobody how many more there are.
std::int64_t Tokens::most_repeats(std::size_t loop) {
  const Counted& before = before_.at(loop);
  const std::int64_t more = held_ - before.held;
  if (more == 0) return INT64_MAX;
  std::int64_t there = 0;
  for (std::size_t i = 0; i < announced_.size(); ++i) {
    if (announced_[i].at <= calendar_.now()) there += announced_[i].count;
  }
  const std::int64_t spare = there - (taken_ - before.taken);
  if (more > 0) return spare >= more ? INT64_MAX : 0;
  return std::max<std::int64_t>(0, spare / -more);
}

void Tokens::repeat(std::size_t loop, std::int64_t times, Picoseconds /*turn*/) {
  const Counted& before = before_.at(loop);
  const std::int64_t more = times * (held_ - before.held);
  taken_ += times * (taken_ - before.taken);
  held_ += more;
  if (more > 0) announced_.insert({Picoseconds{}, more, kNoReason}, kIsEarlier);
  for (std::int64_t fewer = -more; fewer > 0;) {
    Announced& first = announced_.front();
    const std::int64_t taken = std::min(fewer, first.count);
    fewer -= taken;
    first.count -= taken;
    if (first.count == 0) announced_.pop_front();
  }
}

std::string Tokens::waiting() const {
  return waiter_ ? name_ + ": " + std::to_string(missing_) + " missing" : std::string();
}

}  // namespace kernbench
