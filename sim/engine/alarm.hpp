// Wakes somebody at the earliest of the instants that were asked for, after all that is announced for that instant.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/engine/process.hpp"

namespace kernbench {

/// For a unit that looks at everything that has come whenever something has: it asks for each arrival and is rung once
/// an instant, in phase kYielding. It may be rung when what it asked for is gone, never too late.
class Alarm {
 public:
  Alarm(Calendar& calendar, std::function<void()> ring)
      : calendar_(calendar), ring_(std::move(ring)), process_(run()) {}

  void at(Picoseconds when) {
    if (!wakes_.empty() && wakes_.back() <= when) return;  // who is rung then asks again
    wakes_.push_back(when);
    calendar_.schedule(process_.handle(), when, Phase::kYielding);
  }

 private:
  Process run() {
    for (;;) {
      wakes_.pop_back();
      ring_();
      co_await std::suspend_always{};
    }
  }

  Calendar& calendar_;
  std::function<void()> ring_;
  std::vector<Picoseconds> wakes_;  // asked of the calendar, the earliest at the back
  Process process_;
};

}  // namespace kernbench
