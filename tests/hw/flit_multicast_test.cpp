// Packets for several receivers in the flit mesh: the same cycles as the rules followed with plain loops, closed forms
// where nobody is in the way, and no deadlock where many are.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/base/random.hpp"
#include "tests/hw/flit_reference.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/listed_traffic.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

int drawn(int least, int most) { return *rc::gen::inRange(least, most + 1); }

FlitMeshConfig any_copying_mesh(int largest_side) {
  FlitMeshConfig config;
  config.rows = drawn(1, largest_side);
  config.columns = drawn(config.rows == 1 ? 2 : 1, largest_side);
  config.virtual_channels = *rc::gen::element(1, 2, 3, 4, 8, 13);
  config.router_cycles = drawn(3, 5);
  config.link_cycles = drawn(1, 3);
  config.credit_cycles = drawn(0, 2);
  config.packet_flits = drawn(1, 10);
  config.buffer_flits = config.packet_flits + drawn(0, 4);
  config.multicast = true;
  return config;
}

/// Packets by node, some for several, and the receivers of these.
struct MixedPackets {
  std::vector<std::vector<FlitPacket>> of_node;
  std::vector<std::unique_ptr<std::vector<std::int32_t>>> receivers;
  std::int64_t copies = 0;

  explicit MixedPackets(const FlitMeshConfig& config)
      : of_node(static_cast<std::size_t>(config.rows) * static_cast<std::size_t>(config.columns)) {}

  void add(std::int32_t from, const std::vector<std::int32_t>& to, Cycles created) {
    FlitPacket packet{from, to.front(), created};
    if (to.size() > 1) {
      receivers.push_back(std::make_unique<std::vector<std::int32_t>>(to));
      packet.receivers = receivers.back().get();
    }
    copies += std::ssize(to);
    of_node[static_cast<std::size_t>(from)].push_back(packet);
  }
};

std::vector<std::int32_t> some_nodes(Random& random, std::int32_t nodes) {
  std::vector<std::int32_t> some;
  const std::int64_t of_four = 1 + random.below(4);
  for (std::int32_t node = 0; node < nodes; ++node) {
    if (random.below(4) < of_four) some.push_back(node);
  }
  if (some.empty()) some.push_back(0);
  for (std::size_t i = some.size(); i > 1; --i) {
    std::swap(some[i - 1], some[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  return some;
}

/// From every node, in `window` cycles: every second one or so for several receivers, the own node among them at times.
MixedPackets packets_for_several(const FlitMeshConfig& config, Cycles window, std::int64_t gap, std::uint64_t seed) {
  MixedPackets packets(config);
  Random random(seed);
  const auto nodes = static_cast<std::int32_t>(packets.of_node.size());
  for (std::int32_t node = 0; node < nodes; ++node) {
    for (Cycles cycle = random.below(gap); cycle < window; cycle += 1 + random.below(2 * gap)) {
      const bool several = random.below(2) == 0;
      packets.add(node,
                  several ? some_nodes(random, nodes) : std::vector{static_cast<std::int32_t>(random.below(nodes))},
                  cycle);
    }
  }
  return packets;
}

void check_same_copies(const FlitMeshConfig& config) {
  const MixedPackets packets =
      packets_for_several(config, drawn(1, 60), std::int64_t{drawn(1, 8)} * config.packet_flits, drawn(0, 1'000'000));
  ListedTraffic fast(packets.of_node, 500);
  run_flits(config, fast);
  ListedTraffic slow(packets.of_node, 500);
  run_flit_reference(config, slow, 500);
  RC_ASSERT(fast.arrivals == slow.arrivals);
  RC_ASSERT(fast.copies == slow.copies);
  RC_ASSERT(fast.packets_delivered == slow.packets_delivered);
}

/// Cycles from creation at which a copy's flits arrive that meets nobody.
std::vector<Cycles> unhindered(const FlitMeshConfig& mesh, std::int32_t from, std::int32_t to) {
  const int routers =
      1 + std::abs(from / mesh.columns - to / mesh.columns) + std::abs(from % mesh.columns - to % mesh.columns);
  std::vector<Cycles> arrivals;
  for (int flit = 0; flit < mesh.packet_flits; ++flit) {
    arrivals.push_back(routers * (mesh.router_cycles + mesh.link_cycles) + 3 - mesh.link_cycles + flit);
  }
  return arrivals;
}

bool flit_by_flit(const std::vector<Cycles>& arrivals, Cycles first) {
  for (std::size_t flit = 0; flit < arrivals.size(); ++flit) {
    if (arrivals[flit] != first + static_cast<Cycles>(flit)) return false;
  }
  return arrivals.size() == 8;
}

/// Links from routers, to nodes too, on the ways from a node to others; each once.
std::int64_t links_of(const FlitMeshConfig& mesh, std::int32_t from, const std::vector<std::int32_t>& receivers) {
  std::set<std::pair<std::int32_t, std::int32_t>> links;
  for (const std::int32_t to : receivers) {
    std::int32_t at = from;
    while (at != to) {
      const std::int32_t across = to % mesh.columns - at % mesh.columns;
      const std::int32_t next =
          across != 0 ? at + (across > 0 ? 1 : -1) : at + (to > at ? mesh.columns : -mesh.columns);
      links.insert({at, next});
      at = next;
    }
    links.insert({to, -1});
  }
  return std::ssize(links);
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.38 a packet goes over each link of its ways once, and to each receiver") {
    CHECK(rc::check("flits that routers send on", [] {
      const FlitMeshConfig config = any_copying_mesh(5);
      const MixedPackets packets = packets_for_several(config, drawn(1, 100), 8, drawn(0, 1'000'000));
      ListedTraffic traffic(packets.of_node, 100'000);
      const auto fabric = make_flit_fabric(config, traffic);
      for (Cycles cycle = 0; traffic.goes_on(cycle);) cycle = fabric->step(cycle);
      std::int64_t links = 0;
      for (const auto& of_node : packets.of_node) {
        for (const FlitPacket& packet : of_node) {
          links += links_of(config, packet.source,
                            packet.receivers == nullptr ? std::vector{packet.destination} : *packet.receivers);
          if (packet.receivers == nullptr) continue;
          for (const std::int32_t to : *packet.receivers) {
            RC_ASSERT(std::ssize(traffic.copies[{packet.source, packet.created, to}]) == config.packet_flits);
          }
        }
      }
      RC_ASSERT(fabric->flit_hops() == links * config.packet_flits);
      RC_ASSERT(traffic.packets_delivered == packets.copies);
    }));
  }

  TEST_CASE("17.38 a buffer that does not hold a packet for several is refused") {
    FlitMeshConfig config{.buffer_flits = 8, .packet_flits = 9, .multicast = true};
    CHECK(error_of([&] { check_flit_mesh(config); }) ==
          "flits of a buffer: expected at least the 9 of a packet, since the copies of a packet for several receivers "
          "do not wait for each other only where a buffer holds all of it, got 8; a larger buffer or shorter packets");
    config.packet_flits = 8;
    CHECK_NOTHROW(check_flit_mesh(config));
  }

  TEST_CASE("17.39 copies are given channels as by the rules followed with plain loops") {
    CHECK(rc::check("small buffers, few channels", [] {
      FlitMeshConfig config = any_copying_mesh(3);
      config.virtual_channels = drawn(1, 3);
      config.buffer_flits = config.packet_flits;
      check_same_copies(config);
    }));
  }

  TEST_CASE("17.40 copies are given the switch as by the rules followed with plain loops") {
    CHECK(rc::check("any mesh", [] { check_same_copies(any_copying_mesh(4)); }));
  }

  TEST_CASE("17.40 a copy that waits keeps its packet in the buffer, the other goes on") {
    const FlitMeshConfig mesh{
        .rows = 1, .columns = 3, .virtual_channels = 1, .buffer_flits = 8, .packet_flits = 8, .multicast = true};
    MixedPackets packets(mesh);
    packets.add(0, {1, 2}, 0);
    packets.add(0, {2}, 1);
    packets.add(1, {1}, 3);
    ListedTraffic traffic(packets.of_node, 1000);
    run_flits(mesh, traffic);
    // Node 1 takes its own packet until 16, so that the copy for it leaves router 1 from 15 on, the one for 2 from 7
    // on.
    CHECK(flit_by_flit(traffic.arrivals[{1, 3}], 9));
    CHECK(flit_by_flit(traffic.copies[{0, 0, 1}], 18));
    CHECK(flit_by_flit(traffic.copies[{0, 0, 2}], 14));
    // The places of the packet are free from 16 on: the next one, for 2 alone, enters router 1 from 20 on, is first
    // when the late copy's tail has left, at 23, and so is there at 31.
    CHECK(flit_by_flit(traffic.arrivals[{0, 1}], 31));
  }

  TEST_CASE("17.41 a packet that meets nobody is at each receiver as if that were its only one") {
    CHECK(rc::check("zero-load latency of copies", [] {
      const FlitMeshConfig config = any_copying_mesh(5);
      Random random(static_cast<std::uint64_t>(drawn(0, 1'000'000)));
      MixedPackets packets(config);
      const std::int32_t nodes = config.rows * config.columns;
      const auto from = static_cast<std::int32_t>(random.below(nodes));
      std::vector<std::int32_t> to = some_nodes(random, nodes);
      if (to.size() == 1) to.push_back(to.front() == 0 ? 1 : 0);
      packets.add(from, to, 0);
      ListedTraffic traffic(packets.of_node, 10'000);
      run_flits(config, traffic);
      RC_ASSERT(traffic.copies.size() == to.size());
      for (const std::int32_t receiver : to) {
        RC_ASSERT((traffic.copies[{from, 0, receiver}]) == unhindered(config, from, receiver));
      }
    }));
  }

  TEST_CASE("17.42 whatever meets in small buffers arrives") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const auto draw = [&random](std::int64_t least, std::int64_t most) {
        return static_cast<int>(least + random.below(most - least + 1));
      };
      FlitMeshConfig config;
      config.rows = draw(2, 4);
      config.columns = draw(2, 4);
      config.virtual_channels = draw(1, 2);
      config.packet_flits = config.buffer_flits = draw(1, 6);
      config.router_cycles = draw(3, 4);
      config.multicast = true;
      const MixedPackets packets = packets_for_several(config, 150, draw(1, 6), seed);
      ListedTraffic traffic(packets.of_node, 1'000'000);
      run_flits(config, traffic);
      CAPTURE(seed);
      CHECK(traffic.packets_delivered == packets.copies);
    }
  }

  TEST_CASE("17.42 in buffers that hold less than a packet two would wait for each other") {
    // From the west and from the east to the nodes in the north and in the south, as soon as the south is free again.
    const auto delivered = [](int buffer_flits) {
      FlitMeshConfig mesh{
          .rows = 3, .columns = 3, .virtual_channels = 1, .buffer_flits = buffer_flits, .packet_flits = 4};
      MixedPackets packets(mesh);
      packets.add(3, {1, 7}, 0);
      packets.add(5, {1, 7}, 1);
      packets.add(4, {7}, 0);
      ListedTraffic traffic(packets.of_node, 2000);
      run_flit_reference(mesh, traffic, 2000);  // it takes what is refused
      return traffic.packets_delivered;
    };
    CHECK(delivered(3) == 1);
    CHECK(delivered(4) == 5);
  }
}
