// Which (link, virtual-channel class) a packet may hold while it waits for which other: a network without a cycle in
// this graph cannot deadlock (Dally and Seitz 1987; adr/0016, 16.11).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// A link in one class.
struct NetworkChannel {
  std::int32_t link = 0;
  std::int32_t channel_class = 0;
  bool operator==(const NetworkChannel&) const = default;
};

/// Pairs of channels: a packet on the first may wait for the second. Each pair that the route of some pair of endpoints
/// has, once (adr/0016, 16.13); of those that go columns first, all that such routes could have.
[[nodiscard]] std::vector<std::pair<NetworkChannel, NetworkChannel>> channel_dependencies(const NetworkPlan& plan);

/// A cycle among them, each channel waiting for the next and the last for the first; empty where there is none.
[[nodiscard]] std::vector<NetworkChannel> find_dependency_cycle(const NetworkPlan& plan);

}  // namespace kernbench
