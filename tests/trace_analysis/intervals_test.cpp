// Unions and intersections of intervals against a bitmap.
#include "benches/traces/tables/intervals.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <bitset>
#include <utility>

using kernbench::traces::Interval;
using kernbench::traces::IntervalSet;
using kernbench::traces::union_of;

namespace {

constexpr int kInstants = 64;
using Instants = std::bitset<kInstants>;
using Pairs = std::vector<std::pair<std::uint8_t, std::uint8_t>>;

std::vector<Interval> intervals_of(const Pairs& pairs) {
  std::vector<Interval> intervals;
  for (const auto& [begin, length] : pairs) {
    const std::int64_t from = begin % kInstants;
    intervals.push_back({from, std::min<std::int64_t>(from + length % 9, kInstants)});
  }
  return intervals;
}

Instants instants_of(const std::vector<Interval>& intervals) {
  Instants instants;
  for (const Interval& interval : intervals) {
    for (std::int64_t i = interval.begin; i < interval.end; ++i) instants.set(static_cast<std::size_t>(i));
  }
  return instants;
}

bool is_canonical(const IntervalSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i].begin >= set[i].end || (i > 0 && set[i].begin <= set[i - 1].end)) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.13 unions and intersections are those of the instants") {
    CHECK(rc::check([](const Pairs& some, const Pairs& others) {
      const IntervalSet a = union_of(intervals_of(some));
      const IntervalSet b = union_of(intervals_of(others));
      const Instants in_a = instants_of(intervals_of(some));
      const Instants in_b = instants_of(intervals_of(others));
      RC_ASSERT(is_canonical(a));
      RC_ASSERT(instants_of(a) == in_a);
      RC_ASSERT(kernbench::traces::length_of(a) == static_cast<std::int64_t>(in_a.count()));
      RC_ASSERT(is_canonical(union_of(a, b)));
      RC_ASSERT(instants_of(union_of(a, b)) == (in_a | in_b));
      RC_ASSERT(is_canonical(kernbench::traces::intersection_of(a, b)));
      RC_ASSERT(instants_of(kernbench::traces::intersection_of(a, b)) == (in_a & in_b));
    }));
  }

  TEST_CASE("40.13 intervals are half-open: what touches is one, and has nothing in common") {
    CHECK(union_of({{3, 5}, {1, 3}, {7, 7}}) == IntervalSet{{1, 5}});
    CHECK(kernbench::traces::intersection_of({{1, 3}}, {{3, 5}}).empty());
  }
}
