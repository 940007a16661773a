// Machines whose networks differ: grids, arrangements, connections, speeds.
#pragma once

#include <rapidcheck.h>

#include <numeric>

#include "sim/plan/network/network_plan.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {

inline std::int64_t random_below(std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit); }

/// The committed machine with another network; small enough to look at every pair of its endpoints.
inline MachineSpec random_network_machine() {
  static const MachineSpec kBase = milestone();
  MachineSpec machine = kBase;
  const auto up_to = [](std::int64_t most) { return 1 + random_below(most); };
  machine.die.routers = {up_to(3), up_to(3)};
  machine.package.dies = {up_to(2), up_to(3)};
  machine.package.die_to_die.connections = up_to(2) * std::lcm(machine.die.routers.rows, machine.die.routers.columns);
  machine.die.sram.router = random_below(machine.die.routers.count());
  machine.die.router.virtual_channels = 1 + up_to(3);
  machine.system.arrangement = static_cast<PackageArrangement>(random_below(5));
  const bool is_grid = machine.system.arrangement == PackageArrangement::kMesh ||
                       machine.system.arrangement == PackageArrangement::kTorus;
  machine.system.packages = {is_grid ? up_to(3) : 1, is_grid ? up_to(4) : up_to(7)};
  machine.die.router.hop = {up_to(5000)};
  machine.system.package_switch = {up_to(5000)};
  machine.system.package_link_latency = {up_to(50'000)};
  machine.system.host_link_latency = {up_to(9000)};
  machine.package.die_to_die.port = {up_to(9000)};
  machine.die.wire.router_to_router_um = up_to(9000);
  machine.die.wire.sram_to_router_um = up_to(9000);
  return machine;
}

/// PEs, memories and hosts.
inline std::vector<std::int32_t> endpoints_of(const NetworkPlan& plan) {
  std::vector<std::int32_t> endpoints;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(plan.nodes.size()); ++node) {
    if (plan.first_link(node) >= 0) endpoints.push_back(node);
  }
  return endpoints;
}

}  // namespace kernbench
