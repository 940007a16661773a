// Many first-in first-out queues, mostly empty, whose items live in one pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernbench {

/// One queue of a FifoPool.
struct Fifo {
  std::int32_t first = -1;
  std::int32_t last = -1;
  [[nodiscard]] bool empty() const { return first < 0; }
};

/// A queue costs nothing until it is used; a slot is used again at once. A push invalidates references to items.
template <class T>
class FifoPool {
 public:
  void push(Fifo& fifo, T item) {
    const std::int32_t slot = take_slot(std::move(item));
    if (fifo.empty()) {
      fifo.first = slot;
    } else {
      at(fifo.last).next = slot;
    }
    fifo.last = slot;
  }

  [[nodiscard]] const T& front(const Fifo& fifo) const { return at(fifo.first).item; }

  [[nodiscard]] static bool only_one(const Fifo& fifo) { return fifo.first >= 0 && fifo.first == fifo.last; }

  T pop(Fifo& fifo) {
    const std::int32_t slot = fifo.first;
    fifo.first = at(slot).next;
    if (fifo.empty()) fifo.last = -1;
    at(slot).next = free_;
    free_ = slot;
    return std::move(at(slot).item);
  }

  /// Calls `visit(item)` from front to back until it returns false.
  template <class Visit>
  void scan(const Fifo& fifo, Visit visit) const {
    for (std::int32_t slot = fifo.first; slot >= 0; slot = at(slot).next) {
      if (!visit(at(slot).item)) return;
    }
  }

 private:
  struct Slot {
    T item;
    std::int32_t next = -1;
  };

  [[nodiscard]] Slot& at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Slot& at(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  std::int32_t take_slot(T item) {
    if (free_ < 0) {
      slots_.push_back({std::move(item)});
      return static_cast<std::int32_t>(slots_.size() - 1);
    }
    const std::int32_t slot = free_;
    free_ = at(slot).next;
    at(slot) = {std::move(item)};
    return slot;
  }

  std::vector<Slot> slots_;
  std::int32_t free_ = -1;
};

}  // namespace kernbench
