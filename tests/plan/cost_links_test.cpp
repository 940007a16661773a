// Links and buffers of a machine's cost are those of its network.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "sim/machine/cost.hpp"
#include "tests/plan/random_network.hpp"

using namespace kernbench;

namespace {

constexpr std::int64_t kOne = 1'000'000;  // of the unit

double part(const MachineCost& cost, std::string_view name) {
  const auto found = std::ranges::find(cost.parts, name, &CostPart::name);
  return found == cost.parts.end() ? 0 : found->cost.value();
}

/// A unit for each GB/s and each KiB of buffers.
void price_links(CostSpec& cost) {
  for (std::int64_t* price : {&cost.buffer, &cost.router_bandwidth, &cost.die_to_die_bandwidth,
                              &cost.package_link_bandwidth, &cost.host_link_bandwidth}) {
    *price = kOne;
  }
}

struct Sums {
  double router = 0;
  double die_to_die = 0;
  double package = 0;
  double host = 0;
  double buffers = 0;
};

Sums sums_of(const NetworkPlan& plan) {
  Sums sums;
  for (const NetworkLink& link : plan.links) {
    const NetworkNode& from = plan.node(link.from);
    const NetworkNode& to = plan.node(link.to);
    sums.buffers += static_cast<double>(link.buffer * plan.virtual_channels) / 1024;
    const bool host = from.kind == NodeKind::kHost || to.kind == NodeKind::kHost;
    const bool package = link.dimension == kPackageX || link.dimension == kPackageY;
    const bool same_die = from.at.die >= 0 && from.at.die == to.at.die;
    (host ? sums.host : package ? sums.package : same_die ? sums.router : sums.die_to_die) += link.bandwidth.gbs();
  }
  return sums;
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.6 36.7 bandwidth and buffers of links are those of the network, of every arrangement") {
    CHECK(rc::check("random networks", [] {
      MachineSpec machine = random_network_machine();
      price_links(machine.cost);
      const NetworkPlan plan = plan_network(machine);
      const Sums sums = sums_of(plan);
      const MachineCost cost = machine_cost(machine);
      const auto near = [](double a, double b) { return a == doctest::Approx(b).epsilon(1e-12); };
      RC_ASSERT(near(part(cost, "router_bandwidth"), sums.router));
      RC_ASSERT(near(part(cost, "die_to_die_bandwidth"), sums.die_to_die));
      RC_ASSERT(near(part(cost, "package_link_bandwidth"), sums.package));
      RC_ASSERT(near(part(cost, "host_link_bandwidth"), sums.host));
      MachineSpec without = machine;
      without.die.router.buffer = without.package.die_to_die.buffer = without.system.package_link_buffer = 0;
      RC_ASSERT(near(part(cost, "buffer") - part(machine_cost(without), "buffer"), sums.buffers));
    }));
  }
}
