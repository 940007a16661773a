// A first-in first-out queue between two processes whose items may be announced before they are there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/ring_buffer.hpp"
#include "sim/engine/calendar.hpp"

namespace kernbench {

/// What the consumer of an empty queue is: at rest, as nothing is asked of it; or at work on something that cannot go
/// on without an item, which is told of a run that ends so.
enum class Consumer : std::uint8_t { kAtRest, kAtWork };

/// Any number of producers, one consumer. A producer that knows when an item will be there announces it at once; the
/// consumer is woken once, when it is there and the consumer itself is free. Bounds are kept by Tokens, not here.
template <class T>
class Queue : public Waitable {
 public:
  Queue(Calendar& calendar, std::string name, Phase phase = Phase::kNormal, Consumer consumer = Consumer::kAtRest)
      : calendar_(calendar), name_(std::move(name)), phase_(phase), consumer_(consumer) {
    calendar.enroll(*this);
  }

  /// `item` can be taken from `visible_at` on; announcements must not go back in time.
  void push(T item, Picoseconds visible_at) {
    KB_CHECK(visible_at >= calendar_.now() && visible_at >= last_, name_ + ": an announcement goes back in time");
    last_ = visible_at;
    calendar_.note(visible_at);
    items_.push_back({std::move(item), visible_at});
    if (!waiter_) return;
    calendar_.schedule(std::exchange(waiter_, nullptr), std::max(visible_at, not_before_), phase_);
  }
  void push(T item) { push(std::move(item), calendar_.now()); }

  /// Awaitable: the first item, at the first instant, not before `not_before`, at which it is visible.
  [[nodiscard]] auto pop(Picoseconds not_before = {}) { return Pop{*this, not_before}; }

  [[nodiscard]] std::string waiting() const override {
    return waiter_ && consumer_ == Consumer::kAtWork ? name_ + ": empty, and its consumer waits" : std::string();
  }

 private:
  struct Item {
    T value{};
    Picoseconds visible_at;
  };

  struct Pop {
    Queue& queue;
    Picoseconds not_before;
    [[nodiscard]] bool await_ready() const {
      const Picoseconds now = queue.calendar_.now();
      return queue.phase_ == Phase::kNormal && not_before <= now && !queue.items_.empty() &&
             queue.items_.front().visible_at <= now;
    }
    void await_suspend(std::coroutine_handle<> process) const {
      if (queue.items_.empty()) {
        KB_CHECK(!queue.waiter_, queue.name_ + ": a second consumer waits");
        queue.waiter_ = process;
        queue.not_before_ = not_before;
      } else {
        const Picoseconds at = std::max({queue.items_.front().visible_at, not_before, queue.calendar_.now()});
        queue.calendar_.schedule(process, at, queue.phase_);
      }
    }
    [[nodiscard]] T await_resume() const {
      KB_CHECK(!queue.items_.empty(), queue.name_ + ": a second consumer took the item");
      return queue.items_.pop_front().value;
    }
  };

  Calendar& calendar_;
  std::string name_;
  Phase phase_;
  Consumer consumer_;
  RingBuffer<Item> items_;
  Picoseconds last_{};
  std::coroutine_handle<> waiter_;
  Picoseconds not_before_{};
};

}  // namespace kernbench
