// Counted permits (buffer slots, credits) whose return may be announced before it happens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/reason.hpp"
#include "sim/engine/repetition.hpp"

namespace kernbench {

/// One acquirer, any number of releasers. Permits are handed out in the order of their times, as far as these are known
/// when the acquirer asks; one that waits for more takes them in the order of their announcement.
class Tokens : public Waitable, private Repeated {
 public:
  Tokens(Calendar& calendar, std::string name, std::int64_t count);

  /// They may become more or fewer with each turn of a loop, where nobody has to wait for one (adr/0047).
  void follow(Repetition& repetition) { repetition.count(*this); }

  /// `count` permits come back at `at`.
  void release(std::int64_t count, Picoseconds at, Reason reason = kNoReason);

  /// Awaitable: takes `count` permits at the first instant, not before `not_before`, at which they are there, and goes
  /// on `service` later: taking a permit and being busy with it is one wake-up.
  [[nodiscard]] auto acquire(std::int64_t count, Picoseconds not_before = {}, Picoseconds service = {}) {
    return Acquire{*this, count, not_before, service};
  }

  /// Why the last permits that were taken came back when they did; nothing where nobody waited for them.
  [[nodiscard]] const std::optional<Reason>& held_by() const { return held_by_; }

  [[nodiscard]] std::string waiting() const override;

 private:
  struct Announced {
    Picoseconds at;
    std::int64_t count = 0;
    Reason reason = kNoReason;
  };

  struct Acquire {
    Tokens& tokens;
    std::int64_t count = 0;
    Picoseconds not_before;
    Picoseconds service;
    [[nodiscard]] bool await_ready() {
      return tokens.take(count, not_before, service) && tokens.resume_at_ <= tokens.calendar_.now();
    }
    void await_suspend(std::coroutine_handle<> process) const {
      if (tokens.missing_ == 0) {
        tokens.calendar_.schedule(process, tokens.resume_at_);
      } else {
        tokens.waiter_ = process;
      }
    }
    void await_resume() const {}
  };

  void remember(std::size_t loop) override { before_.at(loop) = {held_, taken_}; }
  [[nodiscard]] std::int64_t repeats(std::size_t /*loop*/) override { return 1; }
  [[nodiscard]] std::int64_t most_repeats(std::size_t loop) override;
  void repeat(std::size_t loop, std::int64_t times, Picoseconds turn) override;

  /// Takes what is announced; true when nothing is missing, resume_at_ then is when the acquirer goes on.
  bool take(std::int64_t count, Picoseconds not_before, Picoseconds service);
  bool take_announced();

  Calendar& calendar_;
  std::string name_;
  RingBuffer<Announced> announced_;
  /// So many announced, and so many taken so far.
  struct Counted {
    std::int64_t held = 0;
    std::int64_t taken = 0;
  };
  std::array<Counted, kRepeatedLoops> before_{};
  std::int64_t held_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t missing_ = 0;
  Picoseconds granted_{};
  Picoseconds service_{};
  Picoseconds resume_at_{};
  std::optional<Reason> held_by_;
  std::coroutine_handle<> waiter_;
};

}  // namespace kernbench
