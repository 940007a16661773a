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
  ++under_way_;
  const Picoseconds ready = std::max(sender.message.created, at) * packets_.tick;
  const std::int32_t to = senders_[static_cast<std::size_t>(sender.message.destination)].pe_node;
  const auto created = static_cast<std::uint64_t>(sender.message.created);
  system_->network().inject({sender.pe_node, to, packets_.packet, this, 2 * created + (sender.left == 0 ? 1 : 0)},
                            {ready, ready});
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
