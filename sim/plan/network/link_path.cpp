#include "sim/plan/network/link_path.hpp"

#include <algorithm>
#include <stdexcept>

namespace kernbench {

std::vector<NetworkChannel> link_path(const NetworkPlan& plan, std::int32_t source, std::int32_t destination) {
  std::vector<NetworkChannel> channels{{plan.first_link(source), plan.routing.first_class(source, destination)}};
  while (true) {
    const auto& last = channels.back();
    const auto& in = plan.link(last.link);
    if (in.to == destination) return channels;
    if (channels.size() > plan.links.size())
      throw std::logic_error("no end of the route to " + plan.node(destination).name);
    const auto out = plan.next_link(in.to, destination, last.channel_class);
    channels.push_back({out, next_class(&in, plan.link(out), last.channel_class)});
  }
}

Picoseconds zero_load_latency(const NetworkPlan& plan, std::int32_t source, std::int32_t destination, Bytes bytes) {
  Picoseconds latency;
  Picoseconds slowest;
  for (const auto& channel : link_path(plan, source, destination)) {
    const auto& link = plan.link(channel.link);
    latency += plan.latency_over(link);
    slowest = std::max(slowest, link.bandwidth.time_for(bytes));
  }
  return latency + slowest;
}

std::int32_t nearest_hbm(const NetworkPlan& plan, std::int32_t pe) {
  if (!plan.shares_hbm) return plan.hbm_of(pe);
  const std::int32_t from = plan.find(NodeKind::kPe, plan.location_of(pe));
  const std::vector<std::int32_t> controllers = plan.hbm_controllers(die_of_hbm(plan.hbm_of(pe)));
  return *std::ranges::min_element(controllers, {},
                                   [&](std::int32_t controller) { return zero_load_latency(plan, from, controller); });
}

}  // namespace kernbench
