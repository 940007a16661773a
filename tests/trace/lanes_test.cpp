// Lanes alone: slices of a track never overlap, and there are no more tracks than needed.
#include "sim/system/trace/lanes.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/hw/pe/pe.hpp"

namespace {

using namespace kernbench;

struct Interval {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

rc::Gen<std::vector<Interval>> intervals() {
  const auto one = rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 200), rc::gen::inRange(0, 30)), [](auto pair) {
    return Interval{pair.first, pair.first + pair.second};
  });
  return rc::gen::container<std::vector<Interval>>(one);
}

/// Places them in their order; returns what lies on each track.
std::map<std::string, std::vector<Interval>> placed(const std::vector<Interval>& intervals) {
  Lanes lanes;
  std::map<std::string, std::vector<Interval>> tracks;
  for (const Interval& interval : intervals) {
    const Lanes::Place place = lanes.place("pe0.dma_in", kDmaInStage, {{interval.start}, {interval.end}});
    RC_ASSERT(place.first == !tracks.contains(place.track.name));
    tracks[place.track.name].push_back(interval);
  }
  return tracks;
}

/// The largest number of intervals that are open at one instant.
std::size_t deepest(const std::vector<Interval>& intervals) {
  std::size_t most = 0;
  for (const Interval& at : intervals) {
    const auto open = [&at](const Interval& other) { return other.start <= at.start && at.start < other.end; };
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(intervals, open)));
  }
  return most;
}

}  // namespace

TEST_CASE("in whatever order records come, slices of a track follow each other") {
  CHECK(rc::check([] {
    for (const auto& track : placed(*intervals())) {
      for (std::size_t i = 1; i < track.second.size(); ++i) {
        RC_ASSERT(track.second[i - 1].end <= track.second[i].start);
      }
    }
  }));
}

TEST_CASE("records that come by start take as many lanes as overlap at the deepest point") {
  CHECK(rc::check([] {
    auto in_order = *intervals();
    std::erase_if(in_order, [](const Interval& interval) { return interval.start == interval.end; });
    std::ranges::stable_sort(in_order, {}, &Interval::start);
    RC_ASSERT(placed(in_order).size() == deepest(in_order));
  }));
}

TEST_CASE("tracks of a PE stay together, ordered by stage and lane, whatever comes first") {
  Lanes lanes;
  const auto rank = [&lanes](const char* engine, const Stage& stage, std::int64_t start, std::int64_t end) {
    return lanes.place(engine, stage, {{start}, {end}}).track.rank;
  };
  const auto mac = rank("pe0.mac", kMacStage, 0, 10);
  const auto other_pe = rank("pe1.control", kControlStage, 0, 10);
  const auto dma = rank("pe0.dma_in", kDmaInStage, 0, 10);
  const auto second_dma = rank("pe0.dma_in", kLoadStage, 9, 20);
  const auto first_dma_again = rank("pe0.dma_in", kDmaInStage, 10, 20);
  CHECK(dma < second_dma);
  CHECK(dma == first_dma_again);
  CHECK(second_dma < mac);
  CHECK(mac < other_pe);
}
