// What can flow out of and into a part of a network: the bandwidth of the links that its border cuts, by which bounds
// of collectives are calculated.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// All nodes of a package: dies, switch and host.
[[nodiscard]] std::vector<std::int32_t> nodes_of_package(const NetworkPlan& plan, std::int32_t package);
/// All nodes of a die.
[[nodiscard]] std::vector<std::int32_t> nodes_of_die(const NetworkPlan& plan, std::int32_t package, std::int32_t die);

/// Sum over the links from one of `nodes` to another node; at most what an int64 holds.
[[nodiscard]] Bandwidth outgoing(const NetworkPlan& plan, const std::vector<std::int32_t>& nodes);
/// Sum over the links to one of `nodes` from another node.
[[nodiscard]] Bandwidth incoming(const NetworkPlan& plan, const std::vector<std::int32_t>& nodes);

}  // namespace kernbench
