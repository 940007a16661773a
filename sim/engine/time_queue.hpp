// A stable priority queue of wake-ups: a 4-ary heap whose comparisons compile to arithmetic, not to branches.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernbench {

/// Keys come out in ascending order, equal keys in the order in which they were pushed. While the first entry is being
/// served it stays on top, and the next push takes its place: a process that schedules itself once costs one descent.
class TimeQueue {
 public:
  void push(std::uint64_t key, std::coroutine_handle<> process) {
    const Entry entry{key, ++sequence_, process};
    if (serving_) {
      serving_ = false;
      descend(entry);
    } else {
      entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(size_), entry);
      climb(size_++, entry);
    }
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The smallest key; the queue must not be empty.
  [[nodiscard]] std::uint64_t min_key() const { return entries_.front().key; }

  /// The first process, to be resumed now; end_service() follows.
  [[nodiscard]] std::coroutine_handle<> begin_service() {
    serving_ = true;
    return entries_.front().process;
  }
  void end_service() {
    if (!serving_) return;
    serving_ = false;
    const Entry last = entries_[--size_];
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(size_));
    if (size_ > 0) descend(last);
  }

  void clear() { *this = TimeQueue(); }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint64_t sequence;
    std::coroutine_handle<> process;
  };
  static constexpr Entry kSentinel{UINT64_MAX, UINT64_MAX, nullptr};

  /// 1 when a comes before b, else 0.
  [[nodiscard]] std::size_t before(std::size_t a, std::size_t b) const { return precedes(entries_[a], entries_[b]); }
  [[nodiscard]] static bool precedes(const Entry& a, const Entry& b) {
    __extension__ using Wide = unsigned __int128;
    return ((static_cast<Wide>(a.key) << 64U) | a.sequence) < ((static_cast<Wide>(b.key) << 64U) | b.sequence);
  }

  /// Moves the hole on top to a leaf along the smallest children, then the entry up from there: a process that waits
  /// again mostly belongs near the leaves.
  void descend(const Entry& entry) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = 4 * hole + 1) {
      const std::size_t left = child + before(child + 1, child);
      const std::size_t right = child + 2 + before(child + 3, child + 2);
      const std::size_t least = left + (right - left) * before(right, left);
      entries_[hole] = entries_[least];
      hole = least;
    }
    climb(hole, entry);
  }

  void climb(std::size_t hole, const Entry& entry) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (precedes(entries_[parent], entry)) break;
      entries_[hole] = entries_[parent];
      hole = parent;
    }
    entries_[hole] = entry;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(4, kSentinel);  // the heap, then four sentinels
  std::size_t size_ = 0;
  bool serving_ = false;
  std::uint64_t sequence_ = 0;
};

}  // namespace kernbench
