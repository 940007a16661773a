// A first-in first-out queue in one block of memory: it allocates when it grows, and not while it is used.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kernbench {

/// Has no memory until it is used. A push invalidates references to items.
template <class T>
class RingBuffer {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] T& front() { return slots_[first_]; }
  [[nodiscard]] const T& front() const { return slots_[first_]; }
  /// From the front.
  [[nodiscard]] const T& operator[](std::size_t index) const { return slots_[place(index)]; }
  [[nodiscard]] T& back() { return slots_[place(size_ - 1)]; }

  void push_back(T item) {
    if (size_ == slots_.size()) grow();
    slots_[place(size_++)] = std::move(item);
  }

  /// Puts an item before those at the back that it `comes_before`.
  template <class ComesBefore>
  void insert(T item, ComesBefore comes_before) {
    push_back(std::move(item));
    for (std::size_t i = size_ - 1; i > 0; --i) {
      T& later = slots_[place(i)];
      T& earlier = slots_[place(i - 1)];
      if (!comes_before(later, earlier)) return;
      std::swap(later, earlier);
    }
  }

  T pop_front() {
    T& taken = slots_[first_];
    first_ = place(1);
    --size_;
    return std::move(taken);
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t index) const { return (first_ + index) & (slots_.size() - 1); }

  void grow() {
    std::vector<T> larger(slots_.empty() ? 2 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[place(i)]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  // a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kernbench
