// Random traffic between PEs of any machine: places, draws, loads, latencies, and the same over a mesh's machine.
#include "sim/system/noc/pe_traffic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/system/noc/channel_load.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/noc_run.hpp"

namespace kernbench::pe_traffic_test {
using namespace kernbench::testing;

namespace {

using enum TrafficPattern;

constexpr std::int64_t kGbs = 1'000'000'000;
constexpr Bandwidth kFlitRate{kFlitBytes * kGbs};  // a flit a cycle

std::vector<std::int32_t> first(std::int32_t count) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(count));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

/// Between all PEs of a machine, a packet a message.
PeTraffic between_all(const MachineSpec& machine, TrafficPattern pattern, Bandwidth rate) {
  const std::int64_t pes = machine.system.packages.count() * machine.package.dies.count() * machine.die.routers.count();
  const PeMesh mesh = mesh_of(machine, first(static_cast<std::int32_t>(pes)));
  return {.machine = machine,
          .pes = mesh.pes,
          .pattern = checked({.pattern = pattern, .rows = mesh.rows, .columns = mesh.columns, .hot_nodes = {}}),
          .rate = rate,
          .message = machine.simulation.packet,
          .warm_up = from_ns(200),
          .measure = from_ns(4000)};
}

TrafficExpectation expected_of(const PeTraffic& traffic) {
  return expect_traffic(plan_network(traffic.machine), traffic);
}

struct Ran {
  std::int64_t packets = 0;
  std::int64_t undelivered = 0;
  double mean = 0;
  Cycles p50 = 0;
  Cycles p99 = 0;
  Cycles most = 0;
  double offered = 0;
  double accepted = 0;
  bool saturated = false;
  double busiest = 0;
};

Ran ran(const PeTraffic& traffic) {
  std::istringstream in(forked([&] {
    const PeTrafficRun run = run_pe_traffic(traffic, expected_of(traffic), {});
    const TrafficResult& all = run.measured;
    std::ostringstream out;
    out.precision(17);
    out << all.packets << ' ' << all.undelivered << ' ' << all.mean_latency << ' ' << all.p50_latency << ' '
        << all.p99_latency << ' ' << all.max_latency << ' ' << all.offered << ' ' << all.accepted << ' '
        << all.saturated << ' ' << run.busiest;
    return out.str();
  }));
  Ran ran;
  in >> ran.packets >> ran.undelivered >> ran.mean >> ran.p50 >> ran.p99 >> ran.most >> ran.offered >> ran.accepted >>
      ran.saturated >> ran.busiest;
  return ran;
}

/// SplitMix64, as 17.32 has it.
struct Generator {
  std::uint64_t state = 0;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  double unit() { return (static_cast<double>(next() >> 11U) + 1) / 9007199254740992.0; }
  /// The upper half of next() x count.
  std::int32_t below(std::uint64_t count) {
    const std::uint64_t x = next();
    return static_cast<std::int32_t>(((x >> 32U) * count + ((x & 0xffffffffU) * count >> 32U)) >> 32U);
  }
};

/// 17.35 of a mesh of one package, by hand: hops, wires, and the link.
double mean_by_hand(const PeTraffic& traffic, double hop, double wire_to_pe, double wire, double packet) {
  Generator seeds{traffic.seed};
  double sum = 0;
  double count = 0;
  const TrafficSpec& pattern = traffic.pattern;
  const double p = traffic.per_cycle();
  const double end = (traffic.warm_up + traffic.measure).ns();
  for (std::int32_t node = 0; node < pattern.nodes(); ++node) {
    Generator own{seeds.next()};
    for (double at = -1;;) {
      at += 1 + std::floor(std::log(own.unit()) / std::log(1 - p));
      if (at >= end) break;
      std::int32_t to = 0;
      if (pattern.pattern == kHotspot && own.unit() <= pattern.hot_fraction) {
        to = pattern.hot_nodes.at(0);
        own.next();
      } else {
        to = own.below(static_cast<std::uint64_t>(pattern.nodes()));
      }
      if (at < traffic.warm_up.ns()) continue;
      const int links = std::abs(node / pattern.columns - to / pattern.columns) +
                        std::abs(node % pattern.columns - to % pattern.columns);
      sum += (links + 1) * hop + links * wire + 2 * wire_to_pe + packet;
      ++count;
    }
  }
  return sum / count;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.31 PEs are where they lie in the mesh of all packages, if they fill a rectangle of it") {
    const MachineSpec machine = milestone();  // 1 x 2 packages of 4 x 4 dies of 2 x 4 PEs
    const PeMesh die = mesh_of(machine, first(8));
    CHECK(die.rows == 2);
    CHECK(die.columns == 4);
    CHECK(die.pes == first(8));
    const PeMesh package = mesh_of(machine, first(128));
    CHECK(package.rows == 8);
    CHECK(package.columns == 16);
    CHECK(package.pes.at(0) == 0);
    CHECK(package.pes.at(4) == 8);           // the next die
    CHECK(package.pes.at(16) == 4);          // the first die's second row
    CHECK(package.pes.at(2 * 16) == 4 * 8);  // the die below the first
    CHECK(mesh_of(machine, first(256)).columns == 32);
    const PeMesh square = mesh_of(machine, {5, 4, 1, 0});
    CHECK(square.rows == 2);
    CHECK(square.columns == 2);
    CHECK(square.pes == std::vector<std::int32_t>{0, 1, 4, 5});
    const PeMesh ragged = mesh_of(machine, {2, 1, 4});
    CHECK(ragged.rows == 1);
    CHECK(ragged.pes == std::vector<std::int32_t>{2, 1, 4});
  }

  TEST_CASE("17.32 messages are those that are drawn by hand") {
    for (const TrafficPattern pattern : {kUniform, kHotspot}) {
      PeTraffic traffic =
          between_all(mesh_machine({.rows = 3, .columns = 4}), pattern, {kFlitRate.bytes_per_second / 8});
      traffic.seed = 77;
      const double by_hand = mean_by_hand(traffic, 3, 1, 1, 1);
      CHECK(expected_of(traffic).zero_load == doctest::Approx(1000 * by_hand).epsilon(1e-12));
    }
  }

  TEST_CASE("17.33 a larger message is whole packets, one after the other") {
    PeTraffic traffic =
        between_all(milestone({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1",
                               "die.routers.rows=1", "die.routers.columns=2"}),
                    kNeighbour, {kGbs / 10});
    traffic.measure = from_ns(20'000);
    const TrafficExpectation one = expected_of(traffic);
    traffic.message *= 16;
    traffic.rate.bytes_per_second *= 16;  // so that there are as many
    const TrafficExpectation expected = expected_of(traffic);
    CHECK(expected.messages == one.messages);
    CHECK(expected.zero_load == one.zero_load + 15 * 1000);  // 256 B at 256 GB/s
    const Ran seldom = ran(traffic);
    CHECK(seldom.mean == expected.zero_load);
    CHECK(seldom.packets == expected.messages);
    CHECK(seldom.offered == doctest::Approx(16 * expected.messages / (2 * 20'000.0)));
  }

  TEST_CASE("17.34 a rate fills a link by the routes of all pairs: as on the mesh") {
    for (const TrafficPattern pattern : {kUniform, kTranspose, kNeighbour, kHotspot}) {
      for (const int rows : {2, 3, 5}) {
        CAPTURE(kTrafficPatterns[pattern]);
        CAPTURE(rows);
        const PeTraffic traffic =
            between_all(mesh_machine({.rows = rows, .columns = pattern == kTranspose ? rows : 4}), pattern, kFlitRate);
        const TrafficExpectation expected = expected_of(traffic);
        CHECK(expected.load_at(kFlitRate) == doctest::Approx(most_channel_load(traffic.pattern)).epsilon(1e-12));
        if (pattern == kTranspose && rows > 2) {
          CHECK(expected.saturates_at == static_cast<double>(kFlitRate.bytes_per_second) / (rows - 1));
        }
      }
    }
  }

  TEST_CASE("17.34 between dies, over a slower link") {
    // Of two dies of one PE half of what each creates crosses.
    const PeTraffic traffic =
        between_all(milestone({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=2",
                               "die.routers.rows=1", "die.routers.columns=1", "package.die_to_die.connections=1",
                               "package.die_to_die.bandwidth=10 GB/s"}),
                    kUniform, {kGbs});
    const TrafficExpectation expected = expected_of(traffic);
    CHECK(expected.saturates_at == 20e9);
    CHECK(plan_network(traffic.machine).link(expected.most_loaded).name ==
          "package0.die0.router0 -> package0.die1.router0");
  }

  TEST_CASE("17.35 where messages do not meet they take what their routes take, to the picosecond") {
    const MachineSpec machine = milestone({"system.packages.columns=1"});
    PeTraffic traffic = between_all(machine, kUniform, {2'000'000});  // each PE one message in 128 us
    traffic.measure = from_ns(20'000);
    const TrafficExpectation expected = expected_of(traffic);
    CHECK(expected.messages > 10);
    CHECK(ran(traffic).mean == expected.zero_load);
    traffic.rate = {48 * kGbs};
    traffic.measure = from_ns(1000);
    CHECK(ran(traffic).mean > expected_of(traffic).zero_load);
  }

  TEST_CASE("17.36 all measured messages arrive, also where they are too many, and no link carries more than it can") {
    PeTraffic traffic = between_all(mesh_machine({.rows = 4, .columns = 4}), kHotspot, kFlitRate);
    const Ran much = ran(traffic);
    CHECK(much.saturated);
    CHECK(much.undelivered == 0);
    CHECK(much.packets == 16 * 4000);  // a message a ns
    CHECK(much.mean > 1000 * 1000);
    CHECK(much.mean >= expected_of(traffic).zero_load);
    CHECK(much.accepted < 0.8 * much.offered);
    CHECK(much.busiest <= 1);
    traffic.rate = {kFlitRate.bytes_per_second / 4};
    CHECK_FALSE(ran(traffic).saturated);
  }

  TEST_CASE("17.37 on a mesh's machine traffic between PEs is the mesh's over packet routers") {
    for (const TrafficPattern pattern : {kUniform, kTranspose, kHotspot}) {
      NocTest noc;
      noc.network = NocNetwork::kPackets;
      noc.mesh = {.rows = 4, .columns = 4, .packet_flits = 4};
      noc.traffic.pattern = pattern;
      noc.rate = 0.2;
      noc.seed = 9;
      noc.warm_up = 200;
      noc.measure = 4000;
      const NocOutcome mesh = noc_outcome(noc);
      PeTraffic traffic = between_all(mesh_machine(noc.mesh), pattern, {kFlitRate.bytes_per_second / 5});
      traffic.seed = 9;
      const Ran own = ran(traffic);
      CAPTURE(kTrafficPatterns[pattern]);
      CHECK(own.packets == mesh.packets);
      CHECK(own.mean / 1000 == doctest::Approx(mesh.latency).epsilon(1e-12));
      CHECK(4 * own.offered == doctest::Approx(mesh.offered).epsilon(1e-12));
      CHECK(4 * own.accepted == doctest::Approx(mesh.accepted).epsilon(0.002));  // whole packets at the window's ends
      CHECK(expected_of(traffic).hops == doctest::Approx(mesh.hops).epsilon(1e-12));
      CHECK(own.saturated == mesh.saturated);
    }
  }
}

}  // namespace kernbench::pe_traffic_test
