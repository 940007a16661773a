// Cycles of channel dependencies: found exactly where a second calculation, pair by pair, finds one; and refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/network/network_builder.hpp"
#include "tests/plan/random_network.hpp"

using namespace kernbench;

namespace {

using Channel = std::pair<std::int32_t, std::int32_t>;
using Waits = std::map<Channel, std::set<Channel>>;

/// Who may wait for whom, from the routes of all pairs.
Waits all_waits(const NetworkPlan& plan) {
  Waits waits;
  const auto endpoints = endpoints_of(plan);
  for (const auto source : endpoints) {
    for (const auto destination : endpoints) {
      const auto way = link_path(plan, source, destination);
      for (std::size_t i = 1; i + 2 < way.size(); ++i) {  // neither the first link nor the last takes part in a cycle
        waits[{way[i].link, way[i].channel_class}].insert({way[i + 1].link, way[i + 1].channel_class});
      }
    }
  }
  return waits;
}

/// Takes away, again and again, what waits for nothing: something stays exactly where there is a cycle.
bool has_cycle(Waits waits) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [channel, next] : waits) {
      for (auto to = next.begin(); to != next.end();) {
        const auto found = waits.find(*to);
        const bool ends = found == waits.end() || found->second.empty();
        to = ends ? next.erase(to) : std::next(to);
        changed = changed || ends;
      }
    }
  }
  return std::any_of(waits.begin(), waits.end(), [](const auto& entry) { return !entry.second.empty(); });
}

/// Whether the plan has a cycle; it, and what waits for what, as following every pair shows. `holds(is_so, what)` tells
/// a difference.
template <typename Holds>
bool shows_a_cycle(const NetworkPlan& plan, Holds holds) {
  const auto waits = all_waits(plan);
  const auto cycle = find_dependency_cycle(plan);
  Waits found;
  std::size_t pairs = 0;
  for (const auto& [from, to] : channel_dependencies(plan)) {
    found[{from.link, from.channel_class}].insert({to.link, to.channel_class});
    ++pairs;
  }
  std::size_t expected_pairs = 0;
  for (const auto& [channel, next] : waits) expected_pairs += next.size();
  holds(found == waits, "what waits for what");
  holds(pairs == expected_pairs, "each pair once");
  holds(cycle.empty() != has_cycle(waits), "whether there is a cycle");
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto& next = cycle[(i + 1) % cycle.size()];
    holds(waits.at({cycle[i].link, cycle[i].channel_class}).contains({next.link, next.channel_class}), "the cycle");
  }
  return !cycle.empty();
}

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    static_cast<void>(plan_network(milestone(overrides)));
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::vector<std::string> ring(int packages, int virtual_channels, const std::string& arrangement = "ring") {
  return {"system.arrangement=" + arrangement, "system.packages.columns=" + std::to_string(packages),
          "die.router.virtual_channels=" + std::to_string(virtual_channels)};
}

}  // namespace

TEST_SUITE("ADR-0016") {
  TEST_CASE("16.13 a ring of four packages with one virtual channel is refused, the cycle shown link by link") {
    CHECK(refusal(ring(4, 1)) ==
          "machine milestone-1h: the network could deadlock: packets on each of these links may wait for room on the "
          "next, and on the last for the first:\n"
          "  package0.switch -> package1.switch, class 0\n"
          "  package1.switch -> package2.switch, class 0\n"
          "  package2.switch -> package3.switch, class 0\n"
          "  package3.switch -> package0.switch, class 0\n"
          "expected routes without such a cycle; set die.router.virtual_channels to at least 2, got 1");
    CHECK(refusal(ring(4, 2)).empty());
  }

  TEST_CASE("16.13 one virtual channel is enough where no packet waits on one link between packages for the next") {
    for (const int packages : {1, 2, 3}) CHECK(refusal(ring(packages, 1)).empty());
    for (const int packages : {4, 5, 6, 7}) CHECK_FALSE(refusal(ring(packages, 1)).empty());
    for (const std::string arrangement : {"mesh", "fully_connected", "switched"}) {
      CHECK(refusal(ring(6, 1, arrangement)).empty());
    }
    auto torus = ring(3, 1, "torus");
    torus.emplace_back("system.packages.rows=2");
    CHECK(refusal(torus).empty());
    torus.back() = "system.packages.rows=4";
    CHECK_FALSE(refusal(torus).empty());
  }

  TEST_CASE("16.13 a cycle is found exactly where following every pair of endpoints shows one") {
    CHECK(rc::check([] {
      auto machine = random_network_machine();
      machine.die.routers = {1 + random_below(2), 1 + random_below(2)};
      machine.package.die_to_die.connections = 2 * (1 + random_below(2));
      machine.die.sram.router = 0;
      machine.die.router.virtual_channels = 1 + random_below(2);
      auto plan = build_network(machine);
      // Damage: classes that mean nothing, on a few links.
      for (auto damage = random_below(8); damage > 0; --damage) {
        auto& link = plan.links[static_cast<std::size_t>(random_below(static_cast<std::int64_t>(plan.links.size())))];
        if (plan.classes == 1 || link.dimension == kEndpointLink) continue;
        link.dateline = random_below(2) == 1;
        link.entry_class = static_cast<std::int8_t>(random_below(3) - 1);
      }
      shows_a_cycle(plan, [](bool is_so, const char* what) {
        if (!is_so) RC_FAIL(what);
      });
    }));
    // Of the random ones few have one; these surely have, and have not.
    const auto holds = [](bool is_so, const char* what) { CHECK_MESSAGE(is_so, what); };
    for (const int virtual_channels : {1, 2}) {
      auto overrides = ring(5, virtual_channels);
      overrides.insert(overrides.end(), {"package.dies.rows=1", "package.dies.columns=2"});
      CHECK(shows_a_cycle(build_network(milestone(overrides)), holds) == (virtual_channels == 1));
    }
  }

  TEST_CASE("16.13 without its datelines a ring has a cycle in spite of two virtual channels") {
    auto plan = plan_network(milestone(ring(5, 2)));
    CHECK(find_dependency_cycle(plan).empty());
    for (auto& link : plan.links) link.dateline = false;
    CHECK(find_dependency_cycle(plan).size() == 5);
  }

  TEST_CASE("16.13 64 x 64 dies are checked in the time that their links take, not their pairs of endpoints") {
    const auto plan = plan_network(milestone({"package.dies.rows=64", "package.dies.columns=64"}));
    CHECK(plan.nodes.size() == 204'804);  // pairs of endpoints: 19 thousand million
  }

  TEST_CASE("16.13 no machine with two virtual channels is refused") {
    CHECK(rc::check([] {
      auto machine = random_network_machine();
      machine.system.packages.columns += random_below(6);
      RC_ASSERT(find_dependency_cycle(plan_network(machine)).empty());
    }));
  }
}

TEST_SUITE("ADR-0064") {
  TEST_CASE("64.11 what goes columns first has a class without cycles, and every pair of its routes is looked at") {
    CHECK(rc::check([] {
      auto machine = random_network_machine();
      machine.die.hbm.routing = MemoryRouting::kPerpendicular;
      machine.die.hbm.controllers =
          *rc::gen::element<std::string>("north", "west 0,0", "south east", "north south west");
      const NetworkPlan plan = plan_network(machine);
      Waits found;
      for (const auto& [from, to] : channel_dependencies(plan)) {
        found[{from.link, from.channel_class}].insert({to.link, to.channel_class});
      }
      for (const auto& [channel, next] : all_waits(plan)) {
        RC_ASSERT(std::ranges::includes(found[channel], next));
      }
      RC_ASSERT(!has_cycle(found));
    }));
  }
}
