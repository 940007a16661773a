// Traffic of packets for several receivers: who gets them, what is measured of them, what channels are offered.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/system/noc/channel_load.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "tests/support/error_of.hpp"
#include "tests/system/noc_gap.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

using Nodes = std::vector<std::int32_t>;

TrafficSpec in_groups(int rows, int columns, TrafficGroups groups) {
  return {.pattern = TrafficPattern::kMulticast,
          .rows = rows,
          .columns = columns,
          .hot_nodes = {},
          .groups = std::move(groups)};
}

Nodes receivers(int rows, int columns, TrafficGroups groups, std::int32_t node) {
  return receivers_of(checked(in_groups(rows, columns, std::move(groups))), node);
}

std::string refusal(int rows, int columns, TrafficGroups groups) {
  return error_of([&] { (void)checked(in_groups(rows, columns, std::move(groups))); });
}

/// Of each node's packets: the channels of the ways to all receivers, each once.
double load_by_ways(const TrafficSpec& spec) {
  std::map<std::pair<int, int>, int> loads;  // by the routers at a channel's ends; a node is -1 - its router
  for (std::int32_t from = 0; from < spec.nodes(); ++from) {
    std::set<std::pair<int, int>> ways{{-1 - from, from}};
    for (const std::int32_t to : receivers_of(spec, from)) {
      int at = from;
      while (at != to) {
        const int across = at % spec.columns - to % spec.columns;
        const int next = across != 0 ? at + (across < 0 ? 1 : -1) : at + (at < to ? spec.columns : -spec.columns);
        ways.insert({at, next});
        at = next;
      }
      ways.insert({to, -1 - to});
    }
    for (const auto& way : ways) ++loads[way];
  }
  int most = 0;
  for (const auto& [channel, load] : loads) most = std::max(most, load);
  return most;
}

NocTest rows_of_four(NocNetwork network) {
  NocTest test;
  test.network = network;
  test.mesh.rows = test.mesh.columns = 4;
  test.mesh.packet_flits = 2;
  test.traffic.pattern = TrafficPattern::kMulticast;
  test.rate = 0.1;
  test.warm_up = 500;
  test.measure = 5000;
  return test;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.43 a packet goes to the sender's row, column, block, mesh, or to the nodes that are named") {
    CHECK(receivers(3, 4, {}, 5) == Nodes{6, 7, 4});
    CHECK(receivers(3, 4, {.rows = 0, .columns = 1}, 5) == Nodes{9, 1});
    CHECK(receivers(2, 2, {.rows = 0, .columns = 0}, 0) == Nodes{1, 2, 3});
    const TrafficGroups blocks{.rows = 2, .columns = 3};  // of 3 x 5: the last ones are smaller
    CHECK(receivers(3, 5, blocks, 6) == Nodes{7, 0, 1, 2, 5});
    CHECK(receivers(3, 5, blocks, 8) == Nodes{9, 3, 4});
    CHECK(receivers(3, 5, blocks, 12) == Nodes{10, 11});
    CHECK(receivers(3, 5, blocks, 14) == Nodes{13});
    const TrafficGroups named{.nodes = {11, 2, 7}};
    CHECK(receivers(3, 4, named, 0) == Nodes{2, 7, 11});
    CHECK(receivers(3, 4, named, 2) == Nodes{7, 11});
    CHECK(receivers(3, 4, named, 9) == Nodes{11, 2, 7});
  }

  TEST_CASE("17.43 groups that leave a node without receivers, or name what is not there, are refused") {
    CHECK(
        refusal(4, 1, {}) ==
        "traffic multicast on the 4x1 mesh: expected receivers for every node, got none for node 3, which is alone in "
        "its group; a larger group, or blocks that divide the mesh");
    CHECK(refusal(3, 3, {.rows = 2, .columns = 2}).find("got none for node 8, which is alone") != std::string::npos);
    CHECK(refusal(3, 3, {.nodes = {4}}).find("got none for node 4, which is alone") != std::string::npos);
    CHECK(refusal(3, 3, {.nodes = {4, 0, 4}}) ==
          "traffic multicast on the 3x3 mesh: expected every node of the group once, got 4 twice");
    CHECK(refusal(3, 3, {.nodes = {4, 9}}) == "traffic multicast on the 3x3 mesh: expected nodes from 0 to 8, got 9");
    CHECK(refusal(3, 3, {.rows = 4, .columns = 2}) ==
          "traffic multicast on the 3x3 mesh: expected groups of 1x1 to 3x3, got 4x2");
    NocTest test = rows_of_four(NocNetwork::kPackets);
    test.mesh.packet_flits = 9;
    CHECK(error_of([&] { (void)checked(test); }).find("expected at least the 9 of a packet") != std::string::npos);
    test.traffic.pattern = TrafficPattern::kUniform;
    CHECK_NOTHROW((void)checked(test));
  }

  TEST_CASE("17.44 latencies are of copies, the last one's besides; what arrives counts at receivers and as offered") {
    const TrafficSpec spec = checked(in_groups(1, 3, {.nodes = {0, 2}}));
    MeasuredTraffic traffic({.pattern = spec, .per_cycle = 1, .flits = 2, .begin = 0, .end = 100});
    const FlitPacket first = traffic.next(1);  // to 2 and 0
    const FlitPacket second = traffic.next(1);
    const FlitPacket third = traffic.next(0);  // to 2 alone
    REQUIRE(first.receivers != nullptr);
    CHECK(*first.receivers == Nodes{2, 0});
    CHECK(first.receivers == second.receivers);
    CHECK(third.receivers == nullptr);
    CHECK(third.destination == 2);
    CHECK(second.created == 1);
    const auto arrive = [&](FlitPacket packet, std::int32_t at, Cycles tail) {
      packet.destination = at;
      traffic.flit_delivered(packet, false, tail - 1);
      traffic.flit_delivered(packet, true, tail);
    };
    arrive(first, 2, 10);
    arrive(second, 2, 21);
    arrive(second, 0, 41);
    arrive(first, 0, 30);
    arrive(third, 2, 20);
    const TrafficResult result = traffic.result();
    CHECK(result.packets == 300);
    CHECK(result.undelivered == 297);
    CHECK(result.mean_latency == (10 + 20 + 40 + 30 + 20) / 5.0);
    CHECK(result.last_latency == (30 + 40 + 20) / 3.0);
    CHECK(result.p50_latency == 20);
    CHECK(result.max_latency == 40);
    CHECK(result.offered == 2);
    CHECK(result.accepted == 10 / 300.0);
    CHECK(result.accepted_as_offered == 6 / 300.0);
    CHECK(result.saturated);
  }

  TEST_CASE("17.44 the most loaded channel: a packet counts once on each link of its ways") {
    const auto load = [](TrafficGroups groups) {
      return most_channel_load(checked(in_groups(8, 8, std::move(groups))));
    };
    CHECK(load({}) == 7);
    CHECK(load({.rows = 0, .columns = 1}) == 7);
    CHECK(load({.rows = 0, .columns = 0}) == 63);
    CHECK(load({.rows = 2, .columns = 2}) == 3);
    CHECK(rc::check([] {
      const int rows = *rc::gen::inRange(1, 7);
      const int columns = *rc::gen::inRange(2, 7);
      TrafficGroups groups{.rows = *rc::gen::inRange(1, rows + 1), .columns = *rc::gen::inRange(1, columns + 1)};
      if (*rc::gen::arbitrary<bool>()) groups.nodes = {0, rows * columns - 1, rows * columns / 2};
      if (rows * columns < 4 || (groups.nodes.empty() && !refusal(rows, columns, groups).empty())) return;
      const TrafficSpec spec = checked(in_groups(rows, columns, groups));
      RC_ASSERT(most_channel_load(spec) == load_by_ways(spec));
    }));
  }

  TEST_CASE("17.44 a channel that is offered a flit a cycle is saturated, and below the packets arrive") {
    for (const NocNetwork network : {NocNetwork::kFlits, NocNetwork::kPackets}) {
      NocTest test = rows_of_four(network);
      const NocOutcome light = noc_outcome(test);
      CHECK_FALSE(light.saturated);
      CHECK(light.undelivered == 0);
      CHECK(std::abs(light.accepted / light.as_offered - 3) < 1e-9);
      CHECK(light.last > light.latency);
      test.rate = 1.0 / 3;
      CHECK(noc_outcome(test).saturated);
    }
  }

  TEST_CASE("17.45 both networks are offered the same packets for several, and the machine copies them") {
    const NocOutcome flits = noc_outcome(rows_of_four(NocNetwork::kFlits));
    const NocOutcome packets = noc_outcome(rows_of_four(NocNetwork::kPackets));
    CHECK(packets.packets == flits.packets);
    CHECK(packets.offered == flits.offered);
    CHECK(packets.hops == flits.hops);
    CHECK(packets.latency != flits.latency);
    CHECK(mesh_machine(checked(rows_of_four(NocNetwork::kPackets)).mesh).die.router.multicast);
    CHECK_FALSE(mesh_machine({}).die.router.multicast);
  }

  TEST_CASE("17.45 flit routers read a flit again for a late copy, which takes the port a cycle") {
    // Rows of 8 at 0.91 of what a channel carries.
    NocTest test = gap_test(CopiesRow{.packet_flits = 1, .rate = 0.13}, NocNetwork::kFlits);
    test.measure = 6000;
    CHECK(noc_outcome(test).saturated);
    test.network = NocNetwork::kPackets;
    CHECK_FALSE(noc_outcome(test).saturated);
  }

  TEST_CASE("17.47 mean latencies of copies over both networks, at half the load that fills a channel") {
    check_gap(kCopiesRows[3]);
    check_gap(kCopiesRows[9]);
  }
}
