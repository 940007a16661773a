// A one-shot event: something is done, from a known time on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/engine/reason.hpp"

namespace kernbench {

/// Announced once, perhaps ahead of time; any number of processes wait for it.
class Completion : public Waitable {
 public:
  Completion(Calendar& calendar, std::string name) : calendar_(calendar), name_(std::move(name)) {
    calendar.enroll(*this);
  }

  void complete(Picoseconds at, Reason reason = kNoReason) {
    at_ = at;
    reason_ = reason;
    calendar_.note(at);
    for (const auto process : waiters_) calendar_.schedule(process, at, Phase::kNormal, kWaiter);
    waiters_.clear();
  }

  [[nodiscard]] bool is_complete() const { return at_ && *at_ <= calendar_.now(); }
  /// Why it was complete then.
  [[nodiscard]] Reason reason() const { return reason_; }
  /// Awaitable: goes on when the thing is done.
  [[nodiscard]] auto wait() { return Wait{*this}; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string waiting() const override { return waiters_.empty() ? "" : name_ + ": not complete"; }

 private:
  struct Wait {
    Completion& completion;
    [[nodiscard]] bool await_ready() const { return completion.is_complete(); }
    void await_suspend(std::coroutine_handle<> process) const {
      if (completion.at_) {
        completion.calendar_.schedule(process, *completion.at_, Phase::kNormal, kWaiter);
      } else {
        completion.waiters_.push_back(process);
      }
    }
    void await_resume() const {}
  };

  static constexpr std::uintptr_t kWaiter = 1;  ///< whoever it is

  Calendar& calendar_;
  std::string name_;
  std::optional<Picoseconds> at_;
  Reason reason_ = kNoReason;
  std::vector<std::coroutine_handle<>> waiters_;
};

}  // namespace kernbench
