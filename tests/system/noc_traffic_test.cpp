// The traffic test: patterns, creation, the window, and mean latencies that are known.
#include "sim/system/noc/noc_traffic.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/system/noc/channel_load.hpp"
#include "tests/system/noc_run.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

NocTest load(double rate, int packet_flits, Cycles measure = 40'000) {
  NocTest test;
  test.rate = rate;
  test.mesh.packet_flits = packet_flits;
  test.warm_up = 4000;
  test.measure = measure;
  return test;
}

std::int32_t destination(TrafficPattern pattern, std::int32_t node, int rows, int columns) {
  TrafficSpec spec;
  spec.pattern = pattern;
  spec.rows = rows;
  spec.columns = columns;
  PacketStream stream(node, 1, 1);
  return stream.destination(checked(spec));
}

/// How often each node is drawn in 64000 packets of an 8 x 8 mesh.
std::map<std::int32_t, int> drawn(const TrafficSpec& spec) {
  std::map<std::int32_t, int> counts;
  PacketStream stream(9, 1, 7);
  for (int i = 0; i < 64'000; ++i) ++counts[stream.destination(spec)];
  return counts;
}

/// Of each pair of nodes: how much goes between them, along the row, then the column.
double load_by_pairs(const TrafficSpec& spec) {
  const int nodes = spec.rows * spec.columns;
  std::map<std::pair<int, int>, double> loads;  // by the routers at a channel's ends; a node is -1 - its router
  const auto send = [&](int from, int to, double rate) {
    int at = from;
    loads[{-1 - from, from}] += rate;
    while (at != to) {
      const int across = at % spec.columns - to % spec.columns;
      const int next = across != 0 ? at + (across < 0 ? 1 : -1) : at + (at < to ? spec.columns : -spec.columns);
      loads[{at, next}] += rate;
      at = next;
    }
    loads[{to, -1 - to}] += rate;
  };
  for (int from = 0; from < nodes; ++from) {
    if (spec.pattern == TrafficPattern::kTranspose) {
      send(from, from % spec.columns * spec.columns + from / spec.columns, 1);
    } else if (spec.pattern == TrafficPattern::kNeighbour) {
      send(from, (from / spec.columns + 1) % spec.rows * spec.columns + (from % spec.columns + 1) % spec.columns, 1);
    } else {
      const double hot = spec.pattern == TrafficPattern::kHotspot ? spec.hot_fraction : 0;
      for (int to = 0; to < nodes; ++to) send(from, to, (1 - hot) / nodes);
      for (const int to : spec.hot_nodes) send(from, to, hot / static_cast<double>(spec.hot_nodes.size()));
    }
  }
  double most = 0;
  for (const auto& [channel, rate] : loads) most = std::max(most, rate);
  return most;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.18 transpose swaps row and column, neighbour goes one on in both, round the ends") {
    CHECK(destination(TrafficPattern::kTranspose, 11, 8, 8) == 25);  // row 1, column 3 -> row 3, column 1
    CHECK(destination(TrafficPattern::kTranspose, 27, 8, 8) == 27);
    CHECK(destination(TrafficPattern::kNeighbour, 0, 2, 3) == 4);
    CHECK(destination(TrafficPattern::kNeighbour, 5, 2, 3) == 0);
    CHECK_THROWS_WITH_AS((void)destination(TrafficPattern::kTranspose, 0, 2, 3),
                         "traffic transpose: expected a mesh with as many rows as columns, got 2x3", ConfigError);
    CHECK_THROWS_AS((void)kTrafficPatterns.parse("tornado"), ConfigError);
  }

  TEST_CASE("17.18 uniform goes everywhere alike, hotspot to its nodes more often") {
    TrafficSpec spec;
    const auto uniform = drawn(spec);
    CHECK(uniform.size() == 64);
    for (const auto& [node, count] : uniform) CHECK(std::abs(count - 1000) < 200);  // six standard deviations
    spec.pattern = TrafficPattern::kHotspot;
    spec.hot_nodes = {3, 60};
    spec.hot_fraction = 0.25;
    auto hot = drawn(checked(spec));
    CHECK(std::abs(hot[3] - 8750) < 600);  // 64000 x (0.25 / 2 + 0.75 / 64)
    CHECK(std::abs(hot[60] - 8750) < 600);
    CHECK(std::abs(hot[4] - 750) < 180);
    spec.hot_nodes = {64};
    CHECK_THROWS_WITH_AS((void)checked(spec), "traffic hotspot: expected nodes from 0 to 63 of the 8x8 mesh, got 64",
                         ConfigError);
    spec.hot_nodes.clear();
    CHECK(checked(spec).hot_nodes == std::vector<std::int32_t>{36});
    spec.hot_fraction = 1.5;
    CHECK_THROWS_AS((void)checked(spec), ConfigError);
  }

  TEST_CASE("17.21 a packet is created in each cycle with the same probability") {
    PacketStream always(0, 1, 3);
    for (Cycles cycle = 0; cycle < 100; ++cycle) CHECK(always.next_cycle() == cycle);
    // Gaps of a tossed coin: P(gap = 1) = p, mean 1 / p; bounds are six standard deviations.
    PacketStream stream(0, 0.25, 3);
    Cycles last = -1;
    int ones = 0;
    for (int i = 0; i < 40'000; ++i) {
      const Cycles cycle = stream.next_cycle();
      REQUIRE(cycle > last);
      ones += cycle == last + 1 ? 1 : 0;
      last = cycle;
    }
    CHECK(std::abs(ones - 10'000) < 520);
    CHECK(std::abs(static_cast<double>(last) - 160'000) < 4200);
    CHECK(std::abs(noc_outcome(load(0.2, 4)).offered - 0.2) < 0.01);
  }

  TEST_CASE("17.21 the same seed gives the same run, another seed another") {
    NocTest test = load(0.2, 2, 2000);
    const NocOutcome first = noc_outcome(test);
    CHECK(noc_outcome(test).latency == first.latency);
    test.seed = 2;
    CHECK(noc_outcome(test).latency != first.latency);
  }

  TEST_CASE("17.22 all measured packets arrive, or the run is called saturated") {
    const NocOutcome light = noc_outcome(load(0.3, 8));
    CHECK_FALSE(light.saturated);
    CHECK(light.undelivered == 0);
    CHECK(std::abs(light.accepted / light.offered - 1) < 0.02);
    const NocOutcome heavy = noc_outcome(load(0.5, 8, 8000));
    CHECK(heavy.saturated);
    CHECK(heavy.accepted < 0.42);
    CHECK(std::abs(heavy.offered - 0.5) < 0.02);  // packets that their sources have not come to are counted
    // A window of one cycle at full load: every node creates one packet.
    NocTest every = load(1, 1, 1);
    every.mesh.rows = 1;
    every.mesh.columns = 1;
    const NocOutcome one = noc_outcome(every);
    CHECK(one.packets == 1);
    CHECK(one.latency == 6);
    CHECK(one.hops == 1);
  }

  TEST_CASE("17.22 wrong numbers are refused") {
    CHECK_THROWS_AS((void)checked(load(0, 1)), ConfigError);
    CHECK_THROWS_AS((void)checked(load(1.01, 1)), ConfigError);
    CHECK_THROWS_AS((void)checked(load(0.1, 0)), ConfigError);
    CHECK_THROWS_AS((void)checked(load(0.1, 1, 0)), ConfigError);
    CHECK_NOTHROW((void)checked(load(1, 1, 1)));
  }

  TEST_CASE("17.23 mean latencies of the 8 x 8 mesh are the known ones within 2 %") {
    struct Known {
      int flits;
      double rate;
      double latency;
      Cycles measure;
    };
    for (const Known& known :
         {Known{1, 0.01, 27.05, 100'000}, Known{1, 0.1, 27.29, 20'000}, Known{1, 0.2, 27.87, 20'000},
          Known{1, 0.3, 29.45, 20'000}, Known{8, 0.01, 34.25, 200'000}, Known{8, 0.1, 37.51, 60'000},
          Known{8, 0.2, 43.61, 40'000}, Known{8, 0.3, 56.99, 40'000}}) {
      const NocOutcome outcome = noc_outcome(load(known.rate, known.flits, known.measure));
      CAPTURE(known.flits);
      CAPTURE(known.rate);
      CAPTURE(outcome.latency);
      CHECK(std::abs(outcome.latency / known.latency - 1) < 0.02);
      CHECK(std::abs(outcome.hops - 6.25) < 0.1);
      CHECK_FALSE(outcome.saturated);
    }
    CHECK_FALSE(noc_outcome(load(0.36, 8)).saturated);
    CHECK(noc_outcome(load(0.43, 8)).saturated);
  }

  TEST_CASE("17.30 the most loaded channel: every packet's way, added up") {
    CHECK(rc::check([] {
      TrafficSpec spec;
      spec.pattern = *rc::gen::element(TrafficPattern::kUniform, TrafficPattern::kTranspose, TrafficPattern::kHotspot,
                                       TrafficPattern::kNeighbour);
      spec.rows = *rc::gen::inRange(1, 7);
      spec.columns = spec.pattern == TrafficPattern::kTranspose ? spec.rows : *rc::gen::inRange(1, 7);
      spec.hot_fraction = *rc::gen::inRange(0, 11) / 10.0;
      if (*rc::gen::arbitrary<bool>()) spec.hot_nodes = {0, spec.rows * spec.columns - 1};
      spec = checked(spec);
      RC_ASSERT(std::abs(most_channel_load(spec) - load_by_pairs(spec)) < 1e-9);
    }));
  }

  TEST_CASE("17.22 saturated is what a channel cannot carry, over every pattern and mesh, and nothing below") {
    const auto outcome = [](TrafficPattern pattern, int rows, double rate, int packet_flits = 1) {
      NocTest test = load(rate, packet_flits, 20'000);
      test.traffic.pattern = pattern;
      test.mesh.rows = test.mesh.columns = rows;
      return noc_outcome(test);
    };
    using enum TrafficPattern;
    for (const int rows : {4, 5, 6}) {  // the channel into the last column carries the flows of a row but one
      CAPTURE(rows);
      CHECK(outcome(kTranspose, rows, 1.05 / (rows - 1)).saturated);
      CHECK(outcome(kTranspose, rows, 1.0 / (rows - 1)).saturated);
      CHECK_FALSE(outcome(kTranspose, rows, 0.96 / (rows - 1)).saturated);
    }
    CHECK(outcome(kUniform, 4, 1).saturated);  // from a node
    NocTest full = load(0.1, 1, 200);          // 16 x 0.1 x (0.6 + 0.4 / 16) is 1, and in doubles a little less
    full.traffic = {.pattern = kHotspot, .hot_nodes = {0}, .hot_fraction = 0.6};
    full.mesh.rows = full.mesh.columns = 4;
    CHECK(noc_outcome(full).saturated);
    CHECK_FALSE(outcome(kNeighbour, 4, 0.6).saturated);
    CHECK(outcome(kHotspot, 4, 0.5).saturated);
    CHECK_FALSE(outcome(kHotspot, 4, 0.3).saturated);
    CHECK(outcome(kUniform, 8, 0.44, 8).saturated);  // of 0.49 that channels would carry
  }
}
