// Nodes and links of a machine, from its file's keys (adr/0016, 16.1-16.5). Called by plan_network only.
#pragma once

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// The plan, its routes not checked. Throws ConfigError where the machine cannot be wired.
[[nodiscard]] NetworkPlan build_network(const MachineSpec& machine);

}  // namespace kernbench
