// The way of a packet through a network, and how long it takes where nobody else is on it (adr/0016, 16.10).
#pragma once

#include <vector>

#include "sim/plan/network/channel_dependencies.hpp"

namespace kernbench {

/// The links from endpoint `source` to endpoint `destination`, with the packet's class on each. Both may be the same.
[[nodiscard]] std::vector<NetworkChannel> link_path(const NetworkPlan& plan, std::int32_t source,
                                                    std::int32_t destination);

/// From the instant when `bytes` in one packet are ready at `source` until the last of them is at `destination`, over
/// an idle network: wires and ports of all links, the hop of every router and switch, the time on the slowest link.
[[nodiscard]] Picoseconds zero_load_latency(const NetworkPlan& plan, std::int32_t source, std::int32_t destination,
                                            Bytes bytes = 0);

/// The HBM controller that a PE reaches soonest, the first of equals: that of its partition, or one of its die's.
[[nodiscard]] std::int32_t nearest_hbm(const NetworkPlan& plan, std::int32_t pe);

}  // namespace kernbench
