// A queue whose items may be announced ahead of time and in any order: they leave in order of their times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/ring_buffer.hpp"
#include "sim/engine/process.hpp"

namespace kernbench {

/// Any number of producers, one consumer. Items of one time leave in the order of their turns, those of one turn in the
/// order of their announcement; where that has to hold for what is announced within the very instant too, the queue's
/// phase is kChoosing. What an item announced late but for an earlier time finds is a wake-up too many, never one too
/// late.
template <class T>
class MergingQueue {
 public:
  MergingQueue(Calendar& calendar, std::string name, Phase phase = Phase::kNormal)
      : calendar_(calendar), name_(std::move(name)), phase_(phase), gate_(open_gate()), gate_handle_(gate_.handle()) {}

  /// `item` can be taken from `visible_at` on.
  void push(T item, Picoseconds visible_at, std::int64_t turn = 0) {
    KB_CHECK(visible_at >= calendar_.now(), name_ + ": an item is announced for the past");
    calendar_.note(visible_at);
    items_.insert({std::move(item), visible_at, turn}, [](const Item& a, const Item& b) { return a.comes_before(b); });
    if (waiter_) look_at_front();
  }

  /// Awaitable: the first item, at the first instant, not before `not_before`, at which it is visible.
  [[nodiscard]] auto pop(Picoseconds not_before = {}) { return Pop{*this, not_before}; }

 private:
  struct Item {
    T value;
    Picoseconds visible_at;
    std::int64_t turn = 0;
    [[nodiscard]] bool comes_before(const Item& other) const {
      return visible_at < other.visible_at || (visible_at == other.visible_at && turn < other.turn);
    }
  };

  struct Pop {
    MergingQueue& queue;
    Picoseconds not_before;
    [[nodiscard]] bool await_ready() const {
      queue.not_before_ = not_before;
      return queue.phase_ == Phase::kNormal && !queue.items_.empty() && queue.front_time() <= queue.calendar_.now();
    }
    void await_suspend(std::coroutine_handle<> process) const {
      KB_CHECK(!queue.waiter_, queue.name_ + ": a second consumer waits");
      queue.waiter_ = process;
      if (!queue.items_.empty()) queue.look_at_front();
    }
    [[nodiscard]] T await_resume() const {
      KB_CHECK(!queue.items_.empty(), queue.name_ + ": a second consumer took the item");
      return queue.items_.pop_front().value;
    }
  };

  [[nodiscard]] Picoseconds front_time() const { return std::max(items_.front().visible_at, not_before_); }

  /// Wakes the gate when the first item can be taken: one that became visible earlier is taken in this instant's phase.
  void look_at_front() {
    const Picoseconds at = std::max(front_time(), calendar_.now());
    if (!wakes_.empty() && wakes_.back() <= at) return;  // that one will look again
    wakes_.push_back(at);
    calendar_.schedule(gate_handle_, at, phase_);
  }

  /// The calendar wakes the gate, never the consumer itself: a wake-up that has become needless then harms nobody.
  Process open_gate() {
    for (;;) {
      KB_CHECK(!wakes_.empty(), name_ + ": its gate is woken without reason");
      wakes_.pop_back();
      if (waiter_ && !items_.empty()) {
        if (front_time() <= calendar_.now()) {
          std::exchange(waiter_, nullptr).resume();
        } else {
          look_at_front();
        }
      }
      co_await std::suspend_always{};
    }
  }

  Calendar& calendar_;
  std::string name_;
  Phase phase_;
  RingBuffer<Item> items_;
  std::vector<Picoseconds> wakes_;  // of the gate, the earliest at the back
  std::coroutine_handle<> waiter_;
  Picoseconds not_before_{};
  Process gate_;
  std::coroutine_handle<> gate_handle_;
};

}  // namespace kernbench
