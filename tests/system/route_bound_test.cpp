// The busiest link of the routes that copies take, by hand.
#include "sim/system/distributed/route_bound.hpp"

#include <doctest/doctest.h>

#include "sim/plan/network/link_path.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

/// Packages of one PE in a row of a torus, whose links between packages are the slowest.
NetworkPlan ring_of(int packages) {
  return plan_network(milestone({"system.packages.rows=1", "system.packages.columns=" + std::to_string(packages),
                                 "system.arrangement=torus", "system.package_link.bandwidth=10 GB/s",
                                 "package.dies.rows=1", "package.dies.columns=1", "die.routers.rows=1",
                                 "die.routers.columns=1", "package.die_to_die.connections=1"}));
}

std::int32_t memory(const NetworkPlan& plan, int package) { return plan.find(NodeKind::kHbm, {package, 0, 0}); }
std::int32_t pe(const NetworkPlan& plan, int package) { return plan.find(NodeKind::kPe, {package, 0, 0}); }

/// Heads of packets from memory `from` to PE `to`: until they enter a link, and from there until they are there.
struct Passage {
  Picoseconds before;
  Picoseconds after;
};

Passage passage(const NetworkPlan& plan, std::int32_t from, std::int32_t to, const std::string& link) {
  Passage passage{};
  bool passed = false;
  for (const NetworkChannel& channel : link_path(plan, from, to)) {
    passed = passed || plan.link(channel.link).name == link;
    (passed ? passage.after : passage.before) += plan.latency_over(plan.link(channel.link));
  }
  REQUIRE(passed);
  return passage;
}

}  // namespace

TEST_SUITE("ADR-0044") {
  TEST_CASE("44.12 one copy: its bytes at the slowest link's rate, and the latency of its way") {
    const NetworkPlan plan = ring_of(4);
    RouteBound bound(plan);
    CHECK(bound.longest().time == Picoseconds{});
    CHECK(bound.longest().link.empty());
    bound.add(memory(plan, 0), pe(plan, 1), 0);
    CHECK(bound.longest().time == Picoseconds{});
    bound.add(memory(plan, 0), pe(plan, 1), 1'000'000);  // 100 us
    CHECK(bound.longest().time == zero_load_latency(plan, memory(plan, 0), pe(plan, 1), 1'000'000));
  }

  TEST_CASE("44.12 copies that share a link: all their bytes, after the shortest way to it, before the shortest on") {
    const NetworkPlan plan = ring_of(6);
    RouteBound bound(plan);
    // Eastwards over the link from package 1 to package 2 go all three: from 0 and 1, to 2 and 3.
    bound.add(memory(plan, 0), pe(plan, 2), 500'000);
    bound.add(memory(plan, 1), pe(plan, 3), 300'000);
    bound.add(memory(plan, 1), pe(plan, 2), 200'000);
    const RouteBound::Longest longest = bound.longest();
    const Picoseconds before = passage(plan, memory(plan, 1), pe(plan, 3), longest.link).before;
    const Picoseconds after = passage(plan, memory(plan, 0), pe(plan, 2), longest.link).after;
    CHECK(passage(plan, memory(plan, 0), pe(plan, 2), longest.link).before > before);
    CHECK(passage(plan, memory(plan, 1), pe(plan, 3), longest.link).after > after);
    CHECK(longest.time == before + Bandwidth{10'000'000'000}.time_for(1'000'000) + after);
    // Westwards are other links: what goes there does not add up with it.
    bound.add(memory(plan, 3), pe(plan, 2), 900'000);
    CHECK(bound.longest().time == longest.time);
    bound.add(memory(plan, 3), pe(plan, 2), 200'000);
    CHECK(bound.longest().link != longest.link);
  }
}
