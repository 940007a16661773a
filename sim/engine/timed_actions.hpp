// Callbacks at given times, in order: for observers that must act at the instant itself, such as functional checking.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"

namespace kernbench {

/// Times must not go back from one call to the next. Costs one wake-up an action; nobody pays who does not use it.
class TimedActions {
 public:
  TimedActions(Calendar& calendar, std::string name) : queue_(calendar, std::move(name)), process_(run()) {
    process_.start(calendar);
  }

  void at(Picoseconds time, std::function<void()> action) { queue_.push(std::move(action), time); }

 private:
  Process run() {
    for (;;) {
      const std::function<void()> action = co_await queue_.pop();
      action();
    }
  }

  Queue<std::function<void()>> queue_;
  Process process_;
};

}  // namespace kernbench
