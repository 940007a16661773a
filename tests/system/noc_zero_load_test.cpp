// One packet at a time over flit routers and over a machine's packet routers: the same cycles, and when not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "sim/system/noc/traffic_launch.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/listed_traffic.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

using Packets = std::vector<std::vector<FlitPacket>>;  // by node
/// Of packets, in the order of sources, then of creation; flit by flit, from the packet's creation.
using Latencies = std::vector<std::vector<Cycles>>;

Latencies latencies_in(const ListedTraffic& traffic) {
  Latencies latencies;
  for (const auto& [from, arrivals] : traffic.arrivals) {
    for (Cycles& arrival : latencies.emplace_back(arrivals)) arrival -= from.second;
  }
  return latencies;
}

Latencies over_flits(const FlitMeshConfig& mesh, const Packets& packets, Cycles end) {
  ListedTraffic traffic(packets, end);
  run_flits(mesh, traffic);
  return latencies_in(traffic);
}

Latencies over_packets(const FlitMeshConfig& mesh, const Packets& packets, Cycles end) {
  std::istringstream in(forked([&] {
    ListedTraffic traffic(packets, end);
    System system(mesh_machine(mesh));
    TrafficLaunch launch(traffic, mesh_packets(mesh.packet_flits));
    run_launches(system, {&launch});
    std::ostringstream out;
    for (const auto& latencies : latencies_in(traffic)) {
      for (const Cycles latency : latencies) out << latency << ' ';
    }
    return out.str();
  }));
  Latencies latencies;
  for (Cycles latency = 0; in >> latency;) {
    if (latencies.empty() || std::ssize(latencies.back()) == mesh.packet_flits) latencies.emplace_back();
    latencies.back().push_back(latency);
  }
  return latencies;
}

/// From when on a mesh is idle again after a packet.
Cycles gap_of(const FlitMeshConfig& mesh) {
  const Cycles way = Cycles{mesh.rows + mesh.columns} * (mesh.router_cycles + mesh.link_cycles);
  return way + Cycles{mesh.packet_flits} * (10 + 2 * mesh.link_cycles + mesh.credit_cycles);
}

/// Of every pair of nodes, the own one included, source by source.
Packets pairs_of(const FlitMeshConfig& mesh) {
  const std::int32_t nodes = mesh.rows * mesh.columns;
  Packets packets(static_cast<std::size_t>(nodes));
  for (std::int32_t pair = 0; pair < nodes * nodes; ++pair) {
    packets[static_cast<std::size_t>(pair / nodes)].push_back({pair / nodes, pair % nodes, pair * gap_of(mesh)});
  }
  return packets;
}

Cycles routers_between(const FlitMeshConfig& mesh, std::int32_t pair) {
  const std::int32_t nodes = mesh.rows * mesh.columns;
  const std::div_t from = std::div(pair / nodes, mesh.columns);
  const std::div_t to = std::div(pair % nodes, mesh.columns);
  return 1 + std::abs(from.quot - to.quot) + std::abs(from.rem - to.rem);
}

Cycles zero_load(const FlitMeshConfig& mesh, Cycles routers) {
  return routers * (mesh.router_cycles + mesh.link_cycles) + 3 - mesh.link_cycles + mesh.packet_flits - 1;
}

/// What becomes of one packet for several.
struct Copied {
  std::map<std::int32_t, Cycles> tails;  // by receiver
  std::int64_t hops = 0;                 // flits that routers sent on
  bool operator==(const Copied&) const = default;
};

/// It is created in cycle 0.
ListedTraffic to_several(const FlitMeshConfig& mesh, std::int32_t from, const std::vector<std::int32_t>& to) {
  Packets packets(static_cast<std::size_t>(mesh.rows * mesh.columns));
  packets[static_cast<std::size_t>(from)].push_back({from, to.front(), 0, &to});
  return {packets, 10'000};
}

Copied copied_in(const ListedTraffic& traffic, std::int64_t hops) {
  Copied copied{.tails = {}, .hops = hops};
  for (const auto& [copy, arrivals] : traffic.copies) copied.tails[std::get<2>(copy)] = arrivals.back();
  return copied;
}

Copied copied_by_flits(const FlitMeshConfig& mesh, std::int32_t from, const std::vector<std::int32_t>& to) {
  ListedTraffic traffic = to_several(mesh, from, to);
  const auto fabric = make_flit_fabric(mesh, traffic);
  for (Cycles cycle = 0; traffic.goes_on(cycle);) cycle = fabric->step(cycle);
  return copied_in(traffic, fabric->flit_hops());
}

Copied copied_by_packets(const FlitMeshConfig& mesh, std::int32_t from, const std::vector<std::int32_t>& to) {
  std::istringstream in(forked([&] {
    ListedTraffic traffic = to_several(mesh, from, to);
    System system(mesh_machine(mesh));
    TrafficLaunch launch(traffic, mesh_packets(mesh.packet_flits));
    run_launches(system, {&launch});
    const Copied copied = copied_in(traffic, launch.router_bytes() / kFlitBytes);
    std::ostringstream out;
    out << copied.hops << ' ';
    for (const auto& [receiver, tail] : copied.tails) out << receiver << ' ' << tail << ' ';
    return out.str();
  }));
  Copied copied;
  in >> copied.hops;
  for (std::int32_t receiver = 0; in >> receiver;) in >> copied.tails[receiver];
  return copied;
}

/// Links from routers on the ways to all of them, each once.
std::int64_t links_to(const FlitMeshConfig& mesh, std::int32_t from, const std::vector<std::int32_t>& receivers) {
  std::set<std::pair<std::int32_t, std::int32_t>> links;
  for (const std::int32_t to : receivers) {
    for (std::int32_t at = from; at != to;) {
      const std::int32_t across = to % mesh.columns - at % mesh.columns;
      const std::int32_t next =
          across != 0 ? at + (across > 0 ? 1 : -1) : at + (to > at ? mesh.columns : -mesh.columns);
      links.emplace(at, next);
      at = next;
    }
    links.emplace(to, -1);
  }
  return std::ssize(links);
}

/// How much longer flit routers take (17.26).
Cycles lost_to_small_buffers(const FlitMeshConfig& mesh, Cycles routers) {
  const Cycles way = routers > 1 ? 3 + 2 * mesh.link_cycles + mesh.credit_cycles : 5 + mesh.credit_cycles;
  return (mesh.packet_flits - 1) / mesh.buffer_flits * std::max<Cycles>(0, way - mesh.buffer_flits);
}

struct Pairs {
  int same = 0;
  int later = 0;  ///< over flit routers, by as much as is said
  int wrong = 0;
};

Pairs compare(const FlitMeshConfig& mesh) {
  FlitMeshConfig packet_mesh = mesh;
  packet_mesh.credit_cycles = 0;
  const std::int32_t nodes = mesh.rows * mesh.columns;
  const Cycles end = (nodes * nodes + 1) * gap_of(mesh);
  const Latencies flits = over_flits(mesh, pairs_of(mesh), end);
  const Latencies packets = over_packets(packet_mesh, pairs_of(mesh), end);
  REQUIRE(std::ssize(flits) == nodes * nodes);
  REQUIRE(std::ssize(packets) == nodes * nodes);
  Pairs pairs;
  for (std::int32_t pair = 0; pair < nodes * nodes; ++pair) {
    const auto& by_flit = flits[static_cast<std::size_t>(pair)];
    const auto& whole = packets[static_cast<std::size_t>(pair)];
    const Cycles routers = routers_between(mesh, pair);
    const Cycles tail = zero_load(mesh, routers);
    const Cycles lost = lost_to_small_buffers(mesh, routers);
    const bool as_said = whole.back() == tail && by_flit.back() == tail + lost && (by_flit == whole) == (lost == 0);
    ++(!as_said ? pairs.wrong : lost == 0 ? pairs.same : pairs.later);
  }
  return pairs;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.26 every pair of nodes of every mesh up to 4 x 4, one packet at a time, over either network") {
    Random random(17);
    const auto any = [&random](std::int64_t least, std::int64_t most) {
      return static_cast<int>(least + random.below(most - least + 1));
    };
    Pairs all;
    for (int rows = 1; rows <= 4; ++rows) {
      for (int columns = 1; columns <= 4; ++columns) {
        for (int trial = 0; trial < 6; ++trial) {
          FlitMeshConfig mesh;
          mesh.rows = rows;
          mesh.columns = columns;
          mesh.virtual_channels = any(1, 6);
          mesh.router_cycles = any(3, 7);
          mesh.link_cycles = any(1, 4);
          mesh.credit_cycles = any(0, 3);
          mesh.packet_flits = any(1, 20);
          mesh.buffer_flits = trial % 2 == 0 ? mesh.packet_flits : any(1, 6);
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(trial);
          const Pairs pairs = compare(mesh);
          CHECK(pairs.wrong == 0);
          if (trial % 2 == 0) CHECK(pairs.later == 0);  // buffers that hold the packet
          all.same += pairs.same;
          all.later += pairs.later;
        }
      }
    }
    CHECK(all.same > 3000);
    CHECK(all.later > 1000);
  }

  TEST_CASE("17.46 a packet for several that meets nobody, over either network: the same cycles, each link once") {
    Random random(46);
    const auto any = [&random](std::int64_t least, std::int64_t most) {
      return static_cast<int>(least + random.below(most - least + 1));
    };
    int receivers = 0;
    for (int trial = 0; trial < 40; ++trial) {
      FlitMeshConfig mesh;
      mesh.rows = any(1, 5);
      mesh.columns = any(2, 5);
      mesh.virtual_channels = any(1, 6);
      mesh.router_cycles = any(3, 7);
      mesh.link_cycles = any(1, 4);
      mesh.packet_flits = any(1, 20);
      mesh.buffer_flits = mesh.packet_flits + any(0, 3);
      mesh.multicast = true;
      const std::int32_t nodes = mesh.rows * mesh.columns;
      std::vector<std::int32_t> to;
      for (std::int32_t node = 0; node < nodes; ++node) {
        if (random.below(2) == 0) to.push_back(node);
      }
      if (to.size() < 2) to = {0, nodes - 1};
      receivers += static_cast<int>(to.size());
      const auto from = static_cast<std::int32_t>(random.below(nodes));
      const Copied flits = copied_by_flits(mesh, from, to);
      const Copied packets = copied_by_packets(mesh, from, to);
      CAPTURE(trial);
      CHECK(flits == packets);
      REQUIRE(flits.tails.size() == to.size());
      for (const std::int32_t receiver : to) {
        CHECK(flits.tails.at(receiver) == zero_load(mesh, routers_between(mesh, from * nodes + receiver)));
      }
      CHECK(flits.hops == links_to(mesh, from, to) * mesh.packet_flits);
    }
    CHECK(receivers > 200);
  }

  TEST_CASE("17.24 flits arrive one a cycle, the last one with the tail") {
    const FlitMeshConfig mesh{.rows = 1, .columns = 2, .packet_flits = 3};
    CHECK(over_packets(mesh, pairs_of(mesh), 1000) == Latencies{{6, 7, 8}, {10, 11, 12}, {10, 11, 12}, {6, 7, 8}});
  }

  TEST_CASE("17.27 of two packets that meet one goes first, or they share the link flit by flit") {
    // Both heads come to the middle router in one cycle and leave it for node 2.
    const Packets packets{{{0, 2, 0}}, {{1, 2, 4}}, {}};
    for (const int flits : {1, 2, 8, 20}) {
      for (const int virtual_channels : {1, 2, 4}) {
        const FlitMeshConfig mesh{
            .rows = 1, .columns = 3, .virtual_channels = virtual_channels, .buffer_flits = 40, .packet_flits = flits};
        CAPTURE(flits);
        CAPTURE(virtual_channels);
        const auto lost = [flits](const Latencies& latencies) {  // the lesser first
          const Cycles far = latencies[0].back() - 13 - flits;
          const Cycles near = latencies[1].back() - 9 - flits;
          return std::pair(std::min(far, near), std::max(far, near));
        };
        CHECK(lost(over_packets(mesh, packets, 1000)) == std::pair<Cycles, Cycles>(0, flits));
        const Cycles one_after_the_other = flits + 1;
        CHECK(lost(over_flits(mesh, packets, 1000)) == (virtual_channels == 1
                                                            ? std::pair<Cycles, Cycles>(0, one_after_the_other)
                                                            : std::pair<Cycles, Cycles>(flits - 1, flits)));
      }
    }
  }
}
