// Routes of every pair of endpoints on random machines, followed link by link with rules of their own.
#include "sim/plan/network/link_path.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "tests/plan/random_network.hpp"

using namespace kernbench;

namespace {

struct MeshPosition {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// Column and row in the package's mesh of routers, from the location alone.
MeshPosition in_mesh(const MachineSpec& machine, const NodeLocation& at) {
  const auto& dies = machine.package.dies;
  const auto& routers = machine.die.routers;
  return {at.die % dies.columns * routers.columns + at.router % routers.columns,
          at.die / dies.columns * routers.rows + at.router / routers.columns};
}

/// Links from package to package, of a ring, mesh or torus in one dimension.
std::int64_t distance(std::int64_t from, std::int64_t to, std::int64_t size, bool wraps) {
  const auto direct = std::abs(from - to);
  return wraps ? std::min(direct, size - direct) : direct;
}

/// Links between packages on the way.
std::int64_t package_links(const MachineSpec& machine, std::int64_t from, std::int64_t to) {
  if (from == to) return 0;
  const auto arrangement = machine.system.arrangement;
  if (arrangement == PackageArrangement::kFullyConnected) return 1;
  if (arrangement == PackageArrangement::kSwitched) return 2;
  const auto& grid = machine.system.packages;
  const bool wraps = arrangement != PackageArrangement::kMesh;
  return distance(from % grid.columns, to % grid.columns, grid.columns, wraps) +
         distance(from / grid.columns, to / grid.columns, grid.rows, wraps);
}

/// What a route costs by the decision's sums, without the plan: the number of links and routers of each kind.
Picoseconds expected_latency(const MachineSpec& machine, const NetworkNode& source, const NetworkNode& destination) {
  const auto& wire = machine.die.wire;
  const auto& routers = machine.die.routers;
  const auto last_row = machine.package.dies.rows * routers.rows - 1;
  const auto attached = [&](const NetworkNode& node) {
    if (node.kind == NodeKind::kPe) return wire.delay(wire.pe_to_router_um);
    if (node.kind == NodeKind::kHbm) return wire.delay(wire.hbm_to_router_um);
    if (node.kind == NodeKind::kSram) return wire.delay(wire.sram_to_router_um);
    return machine.system.host_link_latency;
  };
  const auto crossing = 2 * machine.package.die_to_die.port;
  const auto wire_hop = wire.delay(wire.router_to_router_um);
  // Along one row or column from a to b: every step is a hop and a wire or a crossing between dies.
  const auto along = [&](std::int64_t a, std::int64_t b, std::int64_t per_die) {
    const auto steps = std::abs(a - b);
    const auto crossings = std::abs(a / per_die - b / per_die);
    return steps * machine.die.router.hop + (steps - crossings) * wire_hop + crossings * crossing;
  };
  Picoseconds time = attached(source) + attached(destination);
  const bool source_is_host = source.kind == NodeKind::kHost;
  const bool destination_is_host = destination.kind == NodeKind::kHost;
  const auto from = in_mesh(machine, source.at);
  const auto to = in_mesh(machine, destination.at);
  const auto hop = machine.die.router.hop;
  if (source.at.package == destination.at.package && !source_is_host && !destination_is_host) {
    return time + hop + along(from.x, to.x, routers.columns) + along(from.y, to.y, routers.rows);
  }
  if (!source_is_host) time += hop + along(from.y, last_row, routers.rows) + crossing;
  if (!destination_is_host) time += hop + along(to.y, last_row, routers.rows) + crossing;
  const auto links = package_links(machine, source.at.package, destination.at.package);
  return time + links * machine.system.package_link_latency + (links + 1) * machine.system.package_switch;
}

/// About so many of a machine's pairs of endpoints are looked at.
constexpr std::size_t kRoutes = 1500;

/// Calls `look(source, destination, route)` for pairs of endpoints of a machine: all, or evenly chosen ones.
template <class Look>
void look_at_routes(const MachineSpec& machine, Look&& look) {
  const auto plan = plan_network(machine);
  const auto endpoints = endpoints_of(plan);
  const std::size_t count = endpoints.size();
  std::size_t step = count * count / kRoutes + 1;
  while (std::gcd(step, count) != 1) ++step;  // so that every source meets every kind of destination
  for (std::size_t pair = 0; pair < count * count; pair += step) {
    const auto source = endpoints[pair / count];
    const auto destination = endpoints[pair % count];
    look(plan, source, destination, link_path(plan, source, destination));
  }
}

using Route = std::vector<NetworkChannel>;

}  // namespace

TEST_SUITE("ADR-0016") {
  TEST_CASE("16.7 rows first, then columns, and every packet arrives, on random machines") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      look_at_routes(machine,
                     [](const NetworkPlan& plan, std::int32_t source, std::int32_t destination, const Route& way) {
                       RC_ASSERT(plan.link(way.front().link).from == source);
                       RC_ASSERT(plan.link(way.back().link).to == destination);
                       std::int32_t in_order = -1;
                       for (std::size_t i = 0; i < way.size(); ++i) {
                         const auto& link = plan.link(way[i].link);
                         if (i > 0) RC_ASSERT(link.from == plan.link(way[i - 1].link).to);
                         const bool ends = i == 0 || i + 1 == way.size();
                         RC_ASSERT((link.dimension == kEndpointLink) == ends);
                         // X before Y before up, rows of packages before columns, down before Y again.
                         const auto rank = [&] {
                           if (link.dimension == kPackageX || link.dimension == kPackageY)
                             return link.dimension - kPackageX + 4;
                           if (link.dimension == kDown) return 6;
                           if (link.dimension == kMeshY && in_order >= 6) return 7;
                           return static_cast<int>(link.dimension);
                         };
                         if (ends) continue;
                         RC_ASSERT(rank() >= in_order);
                         in_order = rank();
                       }
                     });
    }));
  }

  TEST_CASE("16.12 zero-load latencies are the sums of the decision, which also fixes the number of links") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      look_at_routes(machine,
                     [&](const NetworkPlan& plan, std::int32_t source, std::int32_t destination, const Route&) {
                       RC_ASSERT(zero_load_latency(plan, source, destination) ==
                                 expected_latency(machine, plan.node(source), plan.node(destination)));
                     });
    }));
  }

  TEST_CASE("16.12 the milestone's latencies, worked out by hand") {
    const auto plan = plan_network(milestone());
    const auto pe = [&](int package, int die, int at) { return plan.find(NodeKind::kPe, {package, die, at}); };
    CHECK(zero_load_latency(plan, pe(0, 0, 0), pe(0, 0, 1)) == Picoseconds{4060});
    CHECK(zero_load_latency(plan, pe(0, 0, 0), pe(1, 0, 0)) == Picoseconds{190'340});
    // Own memory, as ADR-0004 has it: 10 + 2000 + 20 ps.
    CHECK(zero_load_latency(plan, pe(0, 0, 0), plan.find(NodeKind::kHbm, {0, 0, 0})) == Picoseconds{2030});
    // The next PE, 4 KiB at 256 GB/s: 16 ns more; one at the other side of two ganged connections: as much.
    CHECK(zero_load_latency(plan, pe(0, 0, 0), pe(0, 0, 1), 4096) == Picoseconds{4060 + 16'000});
    CHECK(zero_load_latency(plan, pe(0, 0, 3), pe(0, 1, 0), 4096) == Picoseconds{20 + 4000 + 16'000 + 16'000});
    CHECK(zero_load_latency(plan, pe(0, 0, 3), pe(0, 1, 0), 1) == Picoseconds{20 + 4000 + 16'000 + 4});
    // Host to a PE of the last row and back up: 5 ns link, 5 ns switch, 16 ns ports, 2 ns router, 10 ps wire.
    CHECK(zero_load_latency(plan, plan.find(NodeKind::kHost, {0}), pe(0, 12, 4)) == Picoseconds{28'010});
  }

  TEST_CASE("16.8 out of a package straight south, into it north along the destination's column") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      look_at_routes(
          machine, [&](const NetworkPlan& plan, std::int32_t source, std::int32_t destination, const Route& way) {
            const auto& from = plan.node(source);
            const auto& to = plan.node(destination);
            if (from.at.package == to.at.package && from.kind != NodeKind::kHost && to.kind != NodeKind::kHost) return;
            for (const auto& channel : way) {
              const auto& link = plan.link(channel.link);
              RC_ASSERT(link.dimension != kMeshX);
              const auto& router = plan.node(link.from);
              if (router.kind != NodeKind::kRouter || link.dimension != kMeshY) continue;
              const bool leaving = router.at.package == from.at.package && from.kind != NodeKind::kHost;
              const auto here = in_mesh(machine, router.at);
              const auto there = in_mesh(machine, plan.node(link.to).at);
              RC_ASSERT(there.y - here.y == (leaving ? 1 : -1));
              RC_ASSERT(here.x == in_mesh(machine, leaving ? from.at : to.at).x);
            }
          });
    }));
  }

  TEST_CASE("16.9 the shorter way round a torus, east and south where both are as long") {
    const auto plan = plan_network(milestone(
        {"system.arrangement=torus", "system.packages.rows=2", "system.packages.columns=4", "package.dies.rows=1"}));
    const auto packages = [&](int from, int to) {
      std::string text;
      const auto host = [&](int package) { return plan.find(NodeKind::kHost, {package}); };
      for (const auto& channel : link_path(plan, host(from), host(to))) {
        const auto& node = plan.node(plan.link(channel.link).to);
        if (node.kind == NodeKind::kSwitch) text += std::to_string(node.at.package);
      }
      return text;
    };
    CHECK(packages(0, 1) == "01");
    CHECK(packages(0, 2) == "012");
    CHECK(packages(2, 0) == "230");
    CHECK(packages(0, 3) == "03");
    CHECK(packages(3, 0) == "30");
    CHECK(packages(0, 4) == "04");
    CHECK(packages(4, 0) == "40");
    CHECK(packages(0, 6) == "0126");
    CHECK(packages(7, 1) == "7451");
  }

  TEST_CASE("16.10 connections between two nodes are one link of all their bandwidth and room") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      const auto plan = plan_network(machine);
      const auto& spec = machine.package.die_to_die;
      std::set<std::pair<std::int32_t, std::int32_t>> pairs;
      for (const auto& link : plan.links) {
        RC_ASSERT(pairs.emplace(link.from, link.to).second);
        const bool is_x = link.dimension == kMeshX;
        const bool leaves_die =
            link.dimension == kUp || link.dimension == kDown ||
            ((is_x || link.dimension == kMeshY) && plan.node(link.from).at.die != plan.node(link.to).at.die);
        const auto lanes =
            leaves_die ? spec.connections / (is_x ? machine.die.routers.rows : machine.die.routers.columns) : 1;
        RC_ASSERT(link.lanes == lanes);
        if (!leaves_die) continue;
        RC_ASSERT(link.bandwidth.bytes_per_second == lanes * spec.bandwidth.bytes_per_second);
        RC_ASSERT(link.buffer == lanes * spec.buffer);
        RC_ASSERT(link.latency == 2 * spec.port);
      }
    }));
  }

  TEST_CASE("16.11 classes: 0 to the switch, 0 and past the end of a row 1 between packages, 1 below the last switch") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      const auto arrangement = machine.system.arrangement;
      const bool wraps = arrangement == PackageArrangement::kRing || arrangement == PackageArrangement::kTorus;
      const auto columns = machine.system.packages.columns;
      look_at_routes(machine, [&](const NetworkPlan& plan, std::int32_t, std::int32_t, const Route& way) {
        RC_ASSERT(plan.classes == (machine.system.packages.count() > 1 ? 2 : 1));
        std::int32_t dimension = -1;
        bool round = false;
        bool below = false;
        for (const auto& channel : way) {
          const auto& link = plan.link(channel.link);
          if (link.dimension >= kPackageX) {
            if (link.dimension != dimension) round = false;
            const auto from = plan.node(link.from).at.package;
            const auto to = plan.node(link.to).at.package;
            const auto moved = link.dimension == kPackageX ? std::abs(from - to) : std::abs(from - to) / columns;
            if (wraps && moved > 1) round = true;
          }
          dimension = link.dimension;
          below = below || link.dimension == kDown;
          const bool between = link.dimension >= kPackageX;
          if (plan.classes == 1) {
            RC_ASSERT(channel.channel_class == 0);
          } else if (between) {
            RC_ASSERT(channel.channel_class == (round ? 1 : 0));
          } else if (below) {
            RC_ASSERT(channel.channel_class == 1);
          } else if (link.dimension != kEndpointLink) {
            RC_ASSERT(channel.channel_class == 0);
          }
        }
      });
    }));
  }
}
