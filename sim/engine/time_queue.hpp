// A stable priority queue of wake-ups: a tournament tree, whose memory accesses do not depend on comparisons.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernbench {

/// Keys come out in ascending order, equal keys in the order in which they were pushed. While the first entry is being
/// served it stays on top, and the next push takes its place: a process that schedules itself once costs one pass.
///
/// Every pending entry has a leaf of a complete binary tree, every inner node holds the earlier of its two children.
/// An entry climbs from its leaf to the root past siblings that are known beforehand: unlike in a heap the loads of all
/// levels overlap, and no branch depends on a comparison.
class TimeQueue {
 public:
  void push(std::uint64_t key, std::coroutine_handle<> process) {
    const std::size_t leaf = serving_ ? tree_[1].leaf : take_leaf();
    serving_ = false;
    processes_[leaf] = process;
    place({key, ++sequence_, leaf});
  }

  [[nodiscard]] bool empty() const { return free_.size() == processes_.size(); }
  /// The smallest key; the queue must not be empty.
  [[nodiscard]] std::uint64_t min_key() const { return tree_[1].key; }

  /// The first process, to be resumed now; end_service() follows.
  [[nodiscard]] std::coroutine_handle<> begin_service() {
    serving_ = true;
    return processes_[tree_[1].leaf];
  }
  void end_service() {
    if (!serving_) return;
    serving_ = false;
    const std::size_t leaf = tree_[1].leaf;
    free_.push_back(leaf);
    place(nobody(leaf));
  }

  void clear() { *this = TimeQueue(); }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint64_t sequence;
    std::size_t leaf;
  };
  /// Comes after every entry.
  static Entry nobody(std::size_t leaf) { return {UINT64_MAX, UINT64_MAX, leaf}; }

  /// All ones when a comes before b, else 0.
  [[nodiscard]] static std::uint64_t precedes(const Entry& a, const Entry& b) {
    __extension__ using Wide = unsigned __int128;
    const bool earlier =
        ((static_cast<Wide>(a.key) << 64U) | a.sequence) < ((static_cast<Wide>(b.key) << 64U) | b.sequence);
    return -static_cast<std::uint64_t>(earlier);
  }
  [[nodiscard]] static Entry earlier(const Entry& a, const Entry& b) {
    const std::uint64_t b_first = precedes(b, a);
    const auto choose = [b_first](std::uint64_t of_a, std::uint64_t of_b) { return of_a ^ ((of_a ^ of_b) & b_first); };
    return {choose(a.key, b.key), choose(a.sequence, b.sequence), choose(a.leaf, b.leaf)};
  }

  /// Puts the entry on its leaf and plays it up to the root.
  void place(Entry entry) {
    std::size_t node = processes_.size() + entry.leaf;
    Entry* const tree = tree_.data();
    tree[node] = entry;
    for (; node > 1; node /= 2) {
      entry = earlier(entry, tree[node ^ 1U]);
      tree[node / 2] = entry;
    }
  }

  std::size_t take_leaf() {
    if (free_.empty()) grow();
    const std::size_t leaf = free_.back();
    free_.pop_back();
    return leaf;
  }

  void grow() {
    const std::size_t leaves = processes_.size();
    std::vector<Entry> before = std::move(tree_);
    processes_.resize(2 * leaves);
    tree_.resize(4 * leaves);
    for (std::size_t leaf = 2 * leaves; leaf-- > leaves;) {
      tree_[2 * leaves + leaf] = nobody(leaf);
      free_.push_back(leaf);
    }
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) tree_[2 * leaves + leaf] = before[leaves + leaf];
    for (std::size_t node = 2 * leaves; node-- > 1;) tree_[node] = earlier(tree_[2 * node], tree_[2 * node + 1]);
  }

  std::vector<Entry> tree_ = {nobody(0), nobody(0)};  // node n has children 2n and 2n + 1; 1 is the root; 0 is unused
  std::vector<std::coroutine_handle<>> processes_ = std::vector<std::coroutine_handle<>>(1);  // of each leaf
  std::vector<std::size_t> free_ = {0};
  bool serving_ = false;
  std::uint64_t sequence_ = 0;
};

}  // namespace kernbench
