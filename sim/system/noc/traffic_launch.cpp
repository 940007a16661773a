#include "sim/system/noc/traffic_launch.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/system/noc/mesh_machine.hpp"

namespace kernbench {

void TrafficLaunch::start(System& system) {
  system_ = &system;
  for (std::int32_t node = 0; node < system.pes(); ++node) hand_over_next(node, {});
}

void TrafficLaunch::hand_over_next(std::int32_t node, Picoseconds now) {
  const FlitPacket next = traffic_.next(node);
  const Cycles from = std::max(next.created, ceil_div(now.value, kMeshCycle.value));
  if (!traffic_.goes_on(from)) return;
  const Picoseconds ready = from * kMeshCycle;
  ++under_way_;
  system_->network().inject({system_->pe_node(node), system_->pe_node(next.destination), packet_flits_ * kFlitBytes,
                             this, static_cast<std::uint64_t>(next.created)},
                            {ready, ready});
}

void TrafficLaunch::delivered(const NetworkPacket& packet, Flight flight) {
  --under_way_;
  end_ = std::max(end_, flight.tail);
  const FlitPacket arrived{node_at(packet.source), node_at(packet.destination), static_cast<Cycles>(packet.tag)};
  KB_CHECK(flight.tail.value % kMeshCycle.value == 0, "all that delays a packet takes whole cycles");
  const Cycles tail = flight.tail.value / kMeshCycle.value;
  for (int flit = 1; flit <= packet_flits_; ++flit) {
    traffic_.flit_delivered(arrived, flit == packet_flits_, tail - packet_flits_ + flit);
  }
}

std::int64_t TrafficLaunch::flit_hops() const {
  Bytes bytes = 0;
  const std::vector<LinkTotals> totals = system_->network().totals();
  for (std::size_t link = 0; link < totals.size(); ++link) {
    const NetworkNode& from = system_->plan().node(system_->plan().links[link].from);
    if (from.kind == NodeKind::kRouter) bytes += totals[link].bytes;
  }
  return bytes / kFlitBytes;
}

}  // namespace kernbench
