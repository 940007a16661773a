// Callbacks at given times: for what must happen at the instant itself and not when its time became known, such as
// values that move.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "sim/engine/process.hpp"

namespace kernbench {

/// Actions may be announced in any order; those of one time are done in the order of their announcement. Costs about
/// one wake-up an instant; nobody pays who does not use it.
class TimedActions {
 public:
  explicit TimedActions(Calendar& calendar) : calendar_(calendar), process_(run()) {}

  void at(Picoseconds time, std::function<void()> action) {
    actions_.emplace(time, std::move(action));
    wake(time);
  }
  /// Does what is due by now: whoever looks at this instant sees it, even if it is resumed first.
  void settle() {
    while (!actions_.empty() && actions_.begin()->first <= calendar_.now()) {
      const std::function<void()> action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
  }
  [[nodiscard]] Picoseconds now() const { return calendar_.now(); }

 private:
  void wake(Picoseconds when) {
    if (!wakes_.empty() && wakes_.back() <= when) return;  // that one will look again
    wakes_.push_back(when);
    calendar_.schedule(process_.handle(), when);
  }

  Process run() {
    for (;;) {
      wakes_.pop_back();
      settle();
      if (!actions_.empty()) wake(actions_.begin()->first);
      co_await std::suspend_always{};
    }
  }

  Calendar& calendar_;
  std::multimap<Picoseconds, std::function<void()>> actions_;
  std::vector<Picoseconds> wakes_;  // asked of the calendar, the earliest at the back
  Process process_;
};

}  // namespace kernbench
