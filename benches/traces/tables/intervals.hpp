// Sets of instants as sorted, disjoint half-open intervals [begin, end): unions, intersections, lengths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace kernbench::traces {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const Interval&) const = default;
};

/// Sorted by begin, none empty, none touching the next.
using IntervalSet = std::vector<Interval>;

/// Their union; empty ones are none. Any order.
[[nodiscard]] IntervalSet union_of(std::vector<Interval> intervals);
[[nodiscard]] IntervalSet union_of(const IntervalSet& a, const IntervalSet& b);
[[nodiscard]] IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b);
/// Sum of their lengths.
[[nodiscard]] std::int64_t length_of(const IntervalSet& intervals);

/// The length of a union of intervals that come by begin, without keeping them.
class UnionLength {
 public:
  void add(const Interval& interval) {
    if (interval.end <= end_) return;
    length_ += interval.end - std::max(interval.begin, end_);
    end_ = interval.end;
  }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::int64_t end() const { return end_; }  ///< of all so far; the least number before the first

 private:
  std::int64_t length_ = 0;
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace kernbench::traces
