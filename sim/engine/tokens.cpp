#include "sim/engine/tokens.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"

namespace kernbench {

Tokens::Tokens(Calendar& calendar, std::string name, std::int64_t count) : calendar_(calendar), name_(std::move(name)) {
  announced_.push_back({Picoseconds{}, count, kNoReason});
  calendar.enroll(*this);
}

void Tokens::release(std::int64_t count, Picoseconds at, Reason reason) {
  calendar_.note(at);
  announced_.insert({at, count, reason}, [](const Announced& a, const Announced& b) { return a.at < b.at; });
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

std::string Tokens::waiting() const {
  return waiter_ ? name_ + ": " + std::to_string(missing_) + " missing" : std::string();
}

}  // namespace kernbench
