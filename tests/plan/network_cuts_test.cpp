// Bandwidth across borders, against counts by hand.
#include "sim/plan/network/network_cuts.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

constexpr std::int64_t kGb = 1'000'000'000;

}  // namespace

TEST_SUITE("ADR-0016") {
  TEST_CASE(
      "16.14 a die's border: a side has all its connections, the south side of the last row leads to the switch") {
    const auto plan = plan_network(milestone());
    const auto out = [&](std::int32_t die) {
      const auto nodes = nodes_of_die(plan, 1, die);
      CHECK(nodes.size() == 8 * 3 + 1);
      CHECK(incoming(plan, nodes) == outgoing(plan, nodes));
      return outgoing(plan, nodes).bytes_per_second;
    };
    CHECK(out(0) == 2 * 4 * 128 * kGb);   // corner of the package
    CHECK(out(1) == 3 * 4 * 128 * kGb);   // north edge
    CHECK(out(5) == 4 * 4 * 128 * kGb);   // in the middle
    CHECK(out(12) == 3 * 4 * 128 * kGb);  // south corner: the IO die is its southern neighbour
  }

  TEST_CASE("16.14 a package's border: its links to other packages") {
    const auto out = [](const std::string& arrangement, int rows, int columns, std::int32_t package) {
      const auto plan =
          plan_network(milestone({"system.arrangement=" + arrangement, "system.packages.rows=" + std::to_string(rows),
                                  "system.packages.columns=" + std::to_string(columns)}));
      const auto nodes = nodes_of_package(plan, package);
      CHECK(incoming(plan, nodes) == outgoing(plan, nodes));
      return outgoing(plan, nodes).bytes_per_second / (512 * kGb);
    };
    CHECK(out("ring", 1, 1, 0) == 0);
    CHECK(out("ring", 1, 2, 1) == 1);
    CHECK(out("ring", 1, 3, 1) == 2);
    CHECK(out("torus", 2, 3, 4) == 3);
    CHECK(out("mesh", 2, 3, 0) == 2);
    CHECK(out("fully_connected", 1, 6, 5) == 5);
    CHECK(out("switched", 1, 6, 5) == 1);
  }

  TEST_CASE("16.14 directions are told apart, and a sum beyond 64 bits stays at the limit") {
    auto plan = plan_network(milestone());
    const auto nodes = nodes_of_die(plan, 0, 5);
    for (auto& link : plan.links) {
      if (plan.node(link.from).at.die == 5 && plan.node(link.to).at.die == 6) link.bandwidth = {1};
    }
    CHECK(outgoing(plan, nodes).bytes_per_second == 3 * 4 * 128 * kGb + 2);
    CHECK(incoming(plan, nodes).bytes_per_second == 4 * 4 * 128 * kGb);
    for (auto& link : plan.links) link.bandwidth = {std::numeric_limits<std::int64_t>::max() / 2};
    CHECK(outgoing(plan, nodes).bytes_per_second == std::numeric_limits<std::int64_t>::max());
  }
}
