// What a machine's network is made of: counts, places, names, and the values of every kind of link.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/base/errors.hpp"
#include "sim/plan/network/network_size.hpp"
#include "tests/plan/random_network.hpp"

using namespace kernbench;

namespace {

/// bandwidth in GB/s, latency in ps, buffer in KiB
using Values = std::tuple<double, std::int64_t, Bytes>;

Values values(const NetworkLink& link) { return {link.bandwidth.gbs(), link.latency.value, link.buffer / 1024}; }

/// The number of links from a node whose name begins with `from` to one whose name begins with `to`, by their values.
std::map<Values, int> between(const NetworkPlan& plan, const std::string& from, const std::string& to) {
  std::map<Values, int> found;
  for (const auto& link : plan.links) {
    const bool matches = plan.node(link.from).name.starts_with(from) && plan.node(link.to).name.starts_with(to);
    if (matches) ++found[values(link)];
  }
  return found;
}

using Found = std::map<Values, int>;

/// Pairs of packages whose switches are linked directly, "0>1 ".
std::string package_links(const std::string& arrangement, int rows, int columns) {
  const auto plan =
      plan_network(milestone({"system.arrangement=" + arrangement, "system.packages.rows=" + std::to_string(rows),
                              "system.packages.columns=" + std::to_string(columns)}));
  std::set<std::string> links;
  for (const auto& link : plan.links) {
    if (link.dimension < kPackageX) continue;
    CHECK(values(link) == Values{512, 20'000, 64});
    const auto name = [&](std::int32_t node) { return node < 0 ? std::string("s") : std::to_string(node); };
    const auto text = name(plan.node(link.from).at.package) + ">" + name(plan.node(link.to).at.package) + " ";
    CHECK(links.insert(text).second);
  }
  std::string all;
  for (const auto& text : links) all += text;
  return all;
}

}  // namespace

TEST_SUITE("ADR-0016") {
  TEST_CASE("16.1 nodes of every kind, as many as the file says") {
    const auto plan = plan_network(milestone());
    std::map<NodeKind, int> counts;
    for (const auto& node : plan.nodes) ++counts[node.kind];
    CHECK(counts[NodeKind::kRouter] == 256);
    CHECK(counts[NodeKind::kPe] == 256);
    CHECK(counts[NodeKind::kHbm] == 256);
    CHECK(counts[NodeKind::kSram] == 32);
    CHECK(counts[NodeKind::kSwitch] == 2);
    CHECK(counts[NodeKind::kHost] == 2);
    for (const auto& node : plan.nodes) {
      const auto hop = node.kind == NodeKind::kRouter ? 2000 : node.kind == NodeKind::kSwitch ? 5000 : 0;
      CHECK(node.hop == Picoseconds{hop});
    }
  }

  TEST_CASE("16.2 numbers, places and names of nodes are one to one") {
    const auto plan = plan_network(milestone());
    CHECK(plan.node(0).name == "package0.die0.router0");
    CHECK(plan.node(128 + 8 * 3 + 5).name == "package0.die3.pe5");
    CHECK(plan.node(2 * 128 + 127).name == "package0.die15.hbm7");
    CHECK(plan.node(3 * 128 + 1).name == "package0.die1.sram");
    CHECK(plan.node(3 * 128 + 16).name == "package0.switch");
    CHECK(plan.node(3 * 128 + 17).name == "package0.host");
    CHECK(plan.node(402).name == "package1.die0.router0");
    CHECK(plan.find(NodeKind::kPe, {0, 3, 5}) == 128 + 29);
    CHECK(plan.find(NodeKind::kPe, {0, 16, 0}) == -1);
    CHECK(plan.find(NodeKind::kPe, {0, 0, 8}) == -1);
    CHECK(plan.find(NodeKind::kPe, {2, 0, 0}) == -1);
    CHECK(plan.find(NodeKind::kHost, {1}) == 402 + 401);
    CHECK(plan.find(NodeKind::kSwitch, {}) == -1);
    CHECK(rc::check([] {
      const auto random = plan_network(random_network_machine());
      std::set<std::string> names;
      for (std::int32_t node = 0; node < static_cast<std::int32_t>(random.nodes.size()); ++node) {
        RC_ASSERT(random.find(random.node(node).kind, random.node(node).at) == node);
        RC_ASSERT(names.insert(random.node(node).name).second);
      }
      for (const auto& link : random.links) RC_ASSERT(names.insert(link.name).second);
    }));
  }

  TEST_CASE("16.3 a die: wires of the file's lengths, links of the file's bandwidth, buffers in front of routers") {
    const auto plan = plan_network(milestone({"die.sram.router=6", "die.sram.bandwidth=1 GB/s"}));
    CHECK(between(plan, "package0.die0.pe", "package0.die0.router") == Found{{{256, 10, 8}, 8}});
    CHECK(between(plan, "package0.die0.router", "package0.die0.pe") == Found{{{256, 10, 0}, 8}});
    CHECK(between(plan, "package0.die0.hbm", "package0.die0.router") == Found{{{256, 20, 8}, 8}});
    CHECK(between(plan, "package0.die0.sram", "package0.die0.router6") == Found{{{256, 20, 8}, 1}});
    CHECK(between(plan, "package0.die0.sram", "").size() == 1);
    // 2 x 4 routers: 2 x 3 pairs along rows and 4 along columns, both directions.
    CHECK(between(plan, "package0.die0.router", "package0.die0.router") == Found{{{256, 40, 8}, 20}});
    CHECK(between(plan, "package0.die0.router1", "package0.die0.router").at({256, 40, 8}) == 3);
  }

  TEST_CASE(
      "16.4 the connections of a machine's only die are shared out, rounded up: its south side leads to the host "
      "alone") {
    const auto machine = one_die({"package.die_to_die.connections=6"});
    const auto plan = plan_network(machine);
    int ganged = 0;
    for (const auto& link : plan.links) {
      if (link.lanes == 1) continue;
      CHECK(link.lanes == 2);  // 6 over 4 columns
      CHECK((plan.node(link.from).kind == NodeKind::kSwitch || plan.node(link.to).kind == NodeKind::kSwitch));
      ++ganged;
    }
    CHECK(ganged == 8);
  }

  TEST_CASE("16.4 from die to die: a side's connections shared out over its routers, two ports and no wire") {
    const auto plan = plan_network(milestone({"package.die_to_die.connections=8"}));
    // 8 a side: 4 for each of two rows, 2 for each of four columns, ganged.
    CHECK(between(plan, "package0.die0.", "package0.die1.") == Found{{{512, 16'000, 64}, 2}});
    CHECK(between(plan, "package0.die0.router3", "package0.die1.router0") == Found{{{512, 16'000, 64}, 1}});
    CHECK(between(plan, "package0.die5.router7", "package0.die9.router3") == Found{{{256, 16'000, 32}, 1}});
    CHECK(between(plan, "package0.die9.router3", "package0.die5.router7") == Found{{{256, 16'000, 32}, 1}});
    CHECK(between(plan, "package0.die3.", "package0.die4.").empty());
    CHECK(between(plan, "package0.die0.", "package1.").empty());
  }

  TEST_CASE("16.5 the IO die below the last row, the host behind it, also where there is one package or one die") {
    for (const std::vector<std::string>& overrides : {std::vector<std::string>{},
                                                      {"system.packages.columns=1"},
                                                      {"package.dies.rows=1", "package.dies.columns=1"}}) {
      const auto machine = milestone(overrides);
      const auto plan = plan_network(machine);
      const int columns = static_cast<int>(machine.package.dies.columns);
      CHECK(between(plan, "package0.die", "package0.switch") == Found{{{128, 16'000, 16}, 4 * columns}});
      CHECK(between(plan, "package0.switch", "package0.die") == Found{{{128, 16'000, 16}, 4 * columns}});
      CHECK(between(plan, "package0.host", "package0.switch") == Found{{{64, 5000, 64}, 1}});
      CHECK(between(plan, "package0.switch", "package0.host") == Found{{{64, 5000, 0}, 1}});
    }
    const auto plan = plan_network(milestone());
    CHECK(between(plan, "package0.die12.router4", "package0.switch").size() == 1);
    CHECK(between(plan, "package0.die12.router3", "package0.switch").empty());
    CHECK(between(plan, "package0.die8.", "package0.switch").empty());
  }

  TEST_CASE("16.6 links between packages of every arrangement, at the edges of its sizes") {
    CHECK(package_links("ring", 1, 1).empty());
    CHECK(package_links("switched", 1, 1).empty());
    CHECK(package_links("ring", 1, 2) == "0>1 1>0 ");
    CHECK(package_links("torus", 1, 2) == "0>1 1>0 ");
    CHECK(package_links("ring", 1, 3) == "0>1 0>2 1>0 1>2 2>0 2>1 ");
    CHECK(package_links("ring", 1, 4) == "0>1 0>3 1>0 1>2 2>1 2>3 3>0 3>2 ");
    CHECK(package_links("mesh", 1, 4) == "0>1 1>0 1>2 2>1 2>3 3>2 ");
    CHECK(package_links("mesh", 2, 2) == "0>1 0>2 1>0 1>3 2>0 2>3 3>1 3>2 ");
    CHECK(package_links("torus", 2, 2) == package_links("mesh", 2, 2));
    CHECK(package_links("torus", 3, 2) == "0>1 0>2 0>4 1>0 1>3 1>5 2>0 2>3 2>4 3>1 3>2 3>5 4>0 4>2 4>5 5>1 5>3 5>4 ");
    CHECK(package_links("fully_connected", 1, 3) == "0>1 0>2 1>0 1>2 2>0 2>1 ");
    CHECK(package_links("switched", 1, 3) == "0>s 1>s 2>s s>0 s>1 s>2 ");
    const auto plan = plan_network(milestone({"system.arrangement=switched"}));
    CHECK(plan.node(plan.find(NodeKind::kSwitch, {})).name == "system.switch");
    CHECK(plan.node(plan.find(NodeKind::kSwitch, {})).hop == from_ns(5));
  }

  TEST_CASE("16.1 nodes and links are counted before they are made") {
    CHECK(rc::check([] {
      const auto machine = random_network_machine();
      const auto plan = plan_network(machine);
      const auto size = network_size(machine);
      RC_ASSERT(size.nodes == static_cast<std::int64_t>(plan.nodes.size()));
      RC_ASSERT(size.links == static_cast<std::int64_t>(plan.links.size()));
      RC_ASSERT(size.classes == plan.classes);
      const auto switching = std::ranges::count(plan.first_links, -1);
      RC_ASSERT(size.switching == switching);
    }));
  }

  TEST_CASE("16.16 links are numbered endpoints first, then the mesh row by row, the switch, and between packages") {
    const auto numbered = [](const std::vector<std::string>& overrides) {
      std::string text;
      for (const auto& link : plan_network(milestone(overrides)).links) {
        std::string name = link.name;
        for (const auto& [word, letter] : {std::pair{"package", "k"},
                                           {"die", "d"},
                                           {"router", "r"},
                                           {"switch", "s"},
                                           {"system", "S"},
                                           {" -> ", ">"}}) {
          for (auto at = name.find(word); at != std::string::npos; at = name.find(word)) {
            name.replace(at, std::string(word).size(), letter);
          }
        }
        text += name + '\n';
      }
      return text;
    };
    // Two dies beside each other, each of 2 x 1 routers.
    const auto package = numbered({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=2",
                                   "die.routers.columns=1", "die.sram.router=1"});
    CHECK(package ==
          "k0.d0.pe0>k0.d0.r0\nk0.d0.r0>k0.d0.pe0\nk0.d0.hbm0>k0.d0.r0\nk0.d0.r0>k0.d0.hbm0\n"
          "k0.d0.pe1>k0.d0.r1\nk0.d0.r1>k0.d0.pe1\nk0.d0.hbm1>k0.d0.r1\nk0.d0.r1>k0.d0.hbm1\n"
          "k0.d0.sram>k0.d0.r1\nk0.d0.r1>k0.d0.sram\n"
          "k0.d1.pe0>k0.d1.r0\nk0.d1.r0>k0.d1.pe0\nk0.d1.hbm0>k0.d1.r0\nk0.d1.r0>k0.d1.hbm0\n"
          "k0.d1.pe1>k0.d1.r1\nk0.d1.r1>k0.d1.pe1\nk0.d1.hbm1>k0.d1.r1\nk0.d1.r1>k0.d1.hbm1\n"
          "k0.d1.sram>k0.d1.r1\nk0.d1.r1>k0.d1.sram\n"
          "k0.d0.r0>k0.d1.r0\nk0.d0.r0>k0.d0.r1\n"                 // east, south
          "k0.d1.r0>k0.d0.r0\nk0.d1.r0>k0.d1.r1\n"                 // west, south
          "k0.d0.r1>k0.d1.r1\nk0.d0.r1>k0.d0.r0\nk0.d0.r1>k0.s\n"  // east, north, south
          "k0.d1.r1>k0.d0.r1\nk0.d1.r1>k0.d1.r0\nk0.d1.r1>k0.s\n"  // west, north, south
          "k0.s>k0.d0.r1\nk0.s>k0.d1.r1\nk0.host>k0.s\nk0.s>k0.host\n");
    const auto between_packages = [&](const std::string& arrangement, int rows, int columns) {
      const auto all = numbered({"system.arrangement=" + arrangement, "system.packages.rows=" + std::to_string(rows),
                                 "system.packages.columns=" + std::to_string(columns), "package.dies.rows=1",
                                 "package.dies.columns=1", "die.routers.rows=1", "die.routers.columns=1"});
      return all.substr(all.rfind(".host\n") + 6);
    };
    CHECK(between_packages("ring", 1, 3) == "k0.s>k1.s\nk0.s>k2.s\nk1.s>k2.s\nk1.s>k0.s\nk2.s>k0.s\nk2.s>k1.s\n");
    CHECK(between_packages("mesh", 2, 2) ==
          "k0.s>k1.s\nk0.s>k2.s\nk1.s>k0.s\nk1.s>k3.s\nk2.s>k3.s\nk2.s>k0.s\nk3.s>k2.s\nk3.s>k1.s\n");
    CHECK(between_packages("fully_connected", 1, 3) ==
          "k0.s>k1.s\nk0.s>k2.s\nk1.s>k0.s\nk1.s>k2.s\nk2.s>k0.s\nk2.s>k1.s\n");
    CHECK(between_packages("switched", 1, 2) == "k0.s>S.s\nk1.s>S.s\nS.s>k0.s\nS.s>k1.s\n");
  }

  TEST_CASE("16.1 a machine that a program put together is checked too, and one beyond memory is refused") {
    auto machine = milestone();
    machine.package.die_to_die.connections = 6;
    CHECK_THROWS_WITH_AS(static_cast<void>(plan_network(machine)),
                         "machine milestone-1h: package.die_to_die.connections: contradicts die.routers.columns: "
                         "expected a multiple of 4, as many for each router on a die's north and south side, got 6",
                         ConfigError);
    machine = milestone();
    machine.system.packages.columns = 2488;  // 2487 packages of 402 nodes are 999774
    CHECK_THROWS_WITH_AS(static_cast<void>(plan_network(machine)),
                         "machine milestone-1h: expected a network of at most 1000000 nodes, got 2488 packages x 16 "
                         "dies x 8 routers, each with a PE and a memory controller: 1000176 nodes; take fewer of them",
                         ConfigError);
  }
}
