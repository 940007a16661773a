// The order of events: time, then phase, then the order in which they were scheduled (1.1, 1.2).
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "tests/collectives_calculator/units.hpp"

namespace calc {

enum class Phase { normal, choosing, yielding };

class Calendar {
 public:
  using Action = std::function<void()>;

  Time now() const { return now_; }

  void at(Time time, Action action) { at(time, Phase::normal, std::move(action)); }

  // 1.2: what is caused at this instant for an earlier phase comes after what this phase has scheduled already.
  void at(Time time, Phase phase, Action action) {
    if (time <= now_) {
      time = now_;
      phase = std::max(phase, phase_);
    }
    std::size_t place = actions_.size();
    if (unused_.empty()) {
      actions_.push_back(std::move(action));
    } else {
      place = unused_.back();
      unused_.pop_back();
      actions_[place] = std::move(action);
    }
    events_.push({time, (static_cast<std::uint64_t>(phase) << 60) + sequence_++, place});
  }

  void run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      phase_ = static_cast<Phase>(event.order >> 60);
      const Action action = std::move(actions_[event.place]);
      actions_[event.place] = nullptr;
      unused_.push_back(event.place);
      action();
    }
  }

  std::uint64_t events() const { return sequence_; }

 private:
  struct Event {
    Time time;
    std::uint64_t order;
    std::size_t place;
    bool operator<(const Event& other) const {  // the earliest on top
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  Time now_ = 0;
  Phase phase_ = Phase::normal;
  std::uint64_t sequence_ = 0;
  std::priority_queue<Event> events_;
  std::vector<Action> actions_;
  std::vector<std::size_t> unused_;
};

}  // namespace calc
