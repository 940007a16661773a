#include "benches/traces/tables/intervals.hpp"

#include <algorithm>

namespace kernbench::traces {

IntervalSet union_of(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return interval.end <= interval.begin; });
  std::ranges::sort(intervals, {}, &Interval::begin);
  IntervalSet merged;
  for (const Interval& interval : intervals) {
    if (!merged.empty() && interval.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, interval.end);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

IntervalSet union_of(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return union_of(std::move(all));
}

IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet common;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    const Interval both{std::max(left->begin, right->begin), std::min(left->end, right->end)};
    if (both.begin < both.end) common.push_back(both);
    (left->end < right->end ? left : right)++;
  }
  return common;
}

std::int64_t length_of(const IntervalSet& intervals) {
  std::int64_t length = 0;
  for (const Interval& interval : intervals) length += interval.end - interval.begin;
  return length;
}

}  // namespace kernbench::traces
