// Traffic between the PEs of a machine's only die, in packets over its network (adr/0017).
#pragma once

#include "sim/hw/noc/flit_fabric.hpp"
#include "sim/system/launch.hpp"

namespace kernbench {

/// Offers a machine's network (mesh_machine) what a mesh of flit routers is offered: node n is PE n. Each PE hands over
/// its next packet when the one before has entered its link.
class TrafficLaunch : public Launch, private PacketSink {
 public:
  /// The traffic outlives the launch.
  TrafficLaunch(FlitTraffic& traffic, int packet_flits) : traffic_(traffic), packet_flits_(packet_flits) {}

  void start(System& system) override;
  [[nodiscard]] bool done() const override { return under_way_ == 0; }
  [[nodiscard]] Picoseconds end() const override { return end_; }
  [[nodiscard]] std::string what() const override { return "the traffic"; }

  /// Flits that routers have sent on, to PEs too.
  [[nodiscard]] std::int64_t flit_hops() const;

 private:
  void hand_over_next(std::int32_t node, Picoseconds now);
  [[nodiscard]] std::int32_t node_at(std::int32_t pe_node) const { return system_->plan().node(pe_node).at.router; }
  void entered(const NetworkPacket& packet, Picoseconds at) override { hand_over_next(node_at(packet.source), at); }
  void delivered(const NetworkPacket& packet, Flight flight) override;

  FlitTraffic& traffic_;
  int packet_flits_;
  System* system_ = nullptr;
  std::int64_t under_way_ = 0;  // packets handed over and not delivered
  Picoseconds end_{};
};

}  // namespace kernbench
