#include "benches/traces/tables/sequence_alignment.hpp"

#include <algorithm>
#include <cstdint>

namespace kernbench::traces {
namespace {

/// E. Myers, "An O(ND) difference algorithm and its variations", 1986: for each number of differences the furthest
/// place in `a` on each diagonal (place in a - place in b).
class ShortestEdit {
 public:
  ShortestEdit(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) : a_(a), b_(b) {
    while (!is_done_ && furthest_.size() <= kMostDifferences) is_done_ = advance();
  }

  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pairs() const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    if (!is_done_) return found;
    auto x = static_cast<std::int64_t>(a_.size());
    auto y = static_cast<std::int64_t>(b_.size());
    for (auto edits = static_cast<std::int64_t>(furthest_.size()) - 1; edits >= 0; --edits) {
      const std::int64_t begin = edits == 0 ? 0 : begin_of(edits, x - y);
      while (x > begin) {
        --x;
        --y;
        found.emplace_back(x, y);
      }
      if (edits == 0) break;
      const bool down = is_down(edits, x - y);
      (down ? y : x)--;
    }
    std::ranges::reverse(found);
    return found;
  }

 private:
  /// Diagonals -edits, -edits + 2, ... edits; what is off the matrix stands there too, and is never the furthest.
  using Row = std::vector<std::int64_t>;

  [[nodiscard]] std::int64_t at(std::int64_t edits, std::int64_t diagonal) const {
    if (diagonal < -edits || diagonal > edits) return -1;
    return furthest_[static_cast<std::size_t>(edits)][static_cast<std::size_t>((diagonal + edits) / 2)];
  }
  /// Whether the path to a diagonal came from the one above, by an element of b.
  [[nodiscard]] bool is_down(std::int64_t edits, std::int64_t diagonal) const {
    return at(edits - 1, diagonal + 1) > at(edits - 1, diagonal - 1);
  }
  /// Where in a the path is on that diagonal before it follows equal elements.
  [[nodiscard]] std::int64_t begin_of(std::int64_t edits, std::int64_t diagonal) const {
    return is_down(edits, diagonal) ? at(edits - 1, diagonal + 1) : at(edits - 1, diagonal - 1) + 1;
  }

  /// One more difference; true at the end of both.
  bool advance() {
    const auto edits = static_cast<std::int64_t>(furthest_.size());
    const auto size_a = static_cast<std::int64_t>(a_.size());
    const auto size_b = static_cast<std::int64_t>(b_.size());
    Row row;
    bool is_done = false;
    for (std::int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      std::int64_t x = edits == 0 ? 0 : begin_of(edits, diagonal);
      while (x < size_a && x - diagonal < size_b && x - diagonal >= 0 &&
             a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - diagonal)]) {
        ++x;
      }
      row.push_back(x);
      is_done = is_done || (x >= size_a && x - diagonal >= size_b && diagonal == size_a - size_b);
    }
    furthest_.push_back(std::move(row));
    return is_done;
  }

  const std::vector<std::size_t>& a_;
  const std::vector<std::size_t>& b_;
  std::vector<Row> furthest_;
  bool is_done_ = false;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> aligned(const std::vector<std::size_t>& a,
                                                         const std::vector<std::size_t>& b) {
  return ShortestEdit(a, b).pairs();
}

}  // namespace kernbench::traces
