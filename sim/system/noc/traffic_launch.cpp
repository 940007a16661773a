#include "sim/system/noc/traffic_launch.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/check.hpp"
#include "sim/system/noc/mesh_machine.hpp"

namespace kernbench {

TrafficPackets mesh_packets(int packet_flits) {
  return {.tick = kMeshCycle, .packet = packet_flits * kFlitBytes, .flits = packet_flits};
}

void TrafficLaunch::start(System& system) {
  system_ = &system;
  node_at_.resize(system.plan().nodes.size(), -1);
  if (packets_.pes.empty()) {
    packets_.pes.resize(static_cast<std::size_t>(system.pes()));
    std::iota(packets_.pes.begin(), packets_.pes.end(), 0);
  }
  for (const std::int32_t pe : packets_.pes) {
    const std::int32_t pe_node = system.pe_node(pe);
    node_at_[static_cast<std::size_t>(pe_node)] = static_cast<std::int32_t>(senders_.size());
    senders_.push_back({.pe_node = pe_node, .message = {}});
  }
  for (std::int32_t node = 0; node < std::ssize(senders_); ++node) hand_over_next(node, {});
}

void TrafficLaunch::hand_over_next(std::int32_t node, Picoseconds now) {
  Sender& sender = senders_[static_cast<std::size_t>(node)];
  const Cycles at = ceil_div(now.value, packets_.tick.value);
  if (sender.left == 0) {
    sender.message = traffic_.next(node);
    const Cycles created = sender.message.created;
    if (created >= packets_.owed_before && !traffic_.goes_on(std::max(created, at))) return;
    sender.left = packets_.packets;
  }
  --sender.left;
  const MulticastTree* const tree = sender.message.receivers == nullptr ? nullptr : &tree_of(sender.message);
  under_way_ += tree == nullptr ? 1 : std::ssize(tree->receivers);
  const Picoseconds ready = std::max(sender.message.created, at) * packets_.tick;
  const std::int32_t to = senders_[static_cast<std::size_t>(sender.message.destination)].pe_node;
  const auto created = static_cast<std::uint64_t>(sender.message.created);
  system_->network().inject({.source = sender.pe_node,
                             .destination = to,
                             .bytes = packets_.packet,
                             .sink = this,
                             .tag = 2 * created + (sender.left == 0 ? 1 : 0),
                             .tree = tree},
                            {ready, ready});
}

const MulticastTree& TrafficLaunch::tree_of(const FlitPacket& message) {
  MulticastTree& tree = trees_[message.receivers];
  if (!tree.receivers.empty()) return tree;
  std::vector<std::int32_t> nodes;
  for (const std::int32_t to : *message.receivers) nodes.push_back(senders_[static_cast<std::size_t>(to)].pe_node);
  tree = system_->network().tree(senders_[static_cast<std::size_t>(message.source)].pe_node, nodes);
  return tree;
}

void TrafficLaunch::delivered(const NetworkPacket& packet, Flight flight) {
  --under_way_;
  end_ = std::max(end_, flight.tail);
  const bool last = packet.tag % 2 == 1;
  const FlitPacket arrived{node_at(packet.source), node_at(packet.destination), static_cast<Cycles>(packet.tag / 2)};
  KB_CHECK(flight.tail.value % packets_.tick.value == 0, "all that delays a packet takes whole ticks");
  const Cycles tail = flight.tail.value / packets_.tick.value;
  for (int flit = 1; flit <= packets_.flits; ++flit) {
    traffic_.flit_delivered(arrived, last && flit == packets_.flits, tail - packets_.flits + flit);
  }
}

Bytes TrafficLaunch::router_bytes() const {
  Bytes bytes = 0;
  const std::vector<LinkTotals> totals = system_->network().totals();
  for (std::size_t link = 0; link < totals.size(); ++link) {
    const NetworkNode& from = system_->plan().node(system_->plan().links[link].from);
    if (from.kind == NodeKind::kRouter) bytes += totals[link].bytes;
  }
  return bytes;
}

}  // namespace kernbench
