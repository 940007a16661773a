#include "sim/system/distributed/route_bound.hpp"

#include <algorithm>

#include "sim/plan/network/link_path.hpp"

namespace kernbench {

namespace {

/// The nodes of a device's PEs, and of their partitions.
struct DeviceNodes {
  std::vector<std::int32_t> pes;
  std::vector<std::int32_t> memories;
};

DeviceNodes nodes_of(const NetworkPlan& network, const MachineSpec& machine, std::int32_t package) {
  DeviceNodes nodes;
  for (std::int32_t die = 0; die < machine.package.dies.count(); ++die) {
    for (std::int32_t router = 0; router < machine.die.routers.count(); ++router) {
      nodes.pes.push_back(network.find(NodeKind::kPe, {package, die, router}));
      nodes.memories.push_back(network.find(NodeKind::kHbm, {package, die, router}));
    }
  }
  return nodes;
}

}  // namespace

RouteBound::RouteBound(const NetworkPlan& plan) : plan_(plan), loads_(plan), ways_(plan.links.size()) {}

void RouteBound::add(std::int32_t source, std::int32_t destination, Bytes bytes) {
  if (bytes == 0) return;
  loads_.add(source, destination, bytes);
  const std::vector<NetworkChannel> path = link_path(plan_, source, destination);
  Picoseconds left{};
  for (const NetworkChannel& channel : path) left += plan_.latency_over(plan_.link(channel.link));
  Picoseconds passed{};
  for (const NetworkChannel& channel : path) {
    Ways& ways = ways_[static_cast<std::size_t>(channel.link)];
    ways.to = std::min(ways.to, passed);
    ways.on = std::min(ways.on, left);
    const Picoseconds over = plan_.latency_over(plan_.link(channel.link));
    passed += over;
    left -= over;
  }
}

RouteBound::Longest RouteBound::longest() const {
  Longest longest{};
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Bytes bytes = loads_.bytes()[i];
    if (bytes == 0) continue;
    const NetworkLink& link = plan_.links[i];
    const Picoseconds time = ways_[i].to + link.bandwidth.time_for(bytes) + ways_[i].on;
    if (time > longest.time) longest = {time, link.name};
  }
  return longest;
}

RouteBound::Longest longest_route(const std::vector<DeviceCommand>& commands, const MachineSpec& machine,
                                  const NetworkPlan& network) {
  std::vector<DeviceNodes> devices;
  for (std::int32_t package = 0; package < machine.system.packages.count(); ++package) {
    devices.push_back(nodes_of(network, machine, package));
  }
  RouteBound bound(network);
  for (const DeviceCommand& command : commands) {
    if (command.kind != CommandKind::kCopy) continue;
    const DeviceNodes& own = devices[static_cast<std::size_t>(command.device)];
    const DeviceNodes& other = devices[static_cast<std::size_t>(command.other)];
    const bool sends = command.queue == QueueKind::kSend;
    const std::vector<std::int32_t>& from = sends ? own.memories : other.memories;
    const std::vector<std::int32_t>& to = sends ? other.memories : own.memories;
    for (std::size_t pe = 0; pe < own.pes.size(); ++pe) {
      Bytes bytes = 0;
      for (const CellMove& move : command.moves) {
        bytes += move.to->part(static_cast<std::int32_t>(pe)).element_bytes();
      }
      bound.add(from[pe], own.pes[pe], bytes);
      bound.add(own.pes[pe], to[pe], bytes);
    }
  }
  return bound.longest();
}

}  // namespace kernbench
