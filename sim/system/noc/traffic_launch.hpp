// Traffic between PEs of a machine, in packets over its network (adr/0017).
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/hw/noc/flit_fabric.hpp"
#include "sim/system/launch.hpp"

namespace kernbench {

/// What traffic is on a network: a message of it is one packet or several.
struct TrafficPackets {
  Picoseconds tick;                    ///< in which the traffic counts
  Bytes packet = 0;                    ///< bytes of one
  std::int64_t packets = 1;            ///< of a message
  int flits = 1;                       ///< of a packet, that arrive one a tick, the last with its tail
  std::vector<std::int32_t> pes = {};  ///< of which node n of the traffic is one; empty: node n is PE n
  Cycles owed_before = 0;              ///< what was created before is sent also when the traffic does not go on
};

/// As a mesh of flit routers has it (17.24).
[[nodiscard]] TrafficPackets mesh_packets(int packet_flits);

/// Offers a machine's network what a mesh of flit routers is offered. Each PE hands over its next packet when the one
/// before has entered its link.
class TrafficLaunch : public Launch, private PacketSink {
 public:
  /// The traffic outlives the launch.
  TrafficLaunch(FlitTraffic& traffic, TrafficPackets packets) : traffic_(traffic), packets_(std::move(packets)) {}

  void start(System& system) override;
  [[nodiscard]] bool done() const override { return under_way_ == 0; }
  [[nodiscard]] Picoseconds end() const override { return end_; }
  [[nodiscard]] std::string what() const override { return "the traffic"; }

  /// That routers have sent on, to PEs too.
  [[nodiscard]] Bytes router_bytes() const;

 private:
  /// What a node is sending, and how many of its packets are still to be handed over.
  struct Sender {
    std::int32_t pe_node = 0;
    FlitPacket message;
    std::int64_t left = 0;
  };

  /// Of a packet for several, from its source.
  [[nodiscard]] const MulticastTree& tree_of(const FlitPacket& message);
  void hand_over_next(std::int32_t node, Picoseconds now);
  [[nodiscard]] std::int32_t node_at(std::int32_t pe_node) const { return node_at_[static_cast<std::size_t>(pe_node)]; }
  void entered(const NetworkPacket& packet, Picoseconds at) override { hand_over_next(node_at(packet.source), at); }
  void delivered(const NetworkPacket& packet, Flight flight) override;

  FlitTraffic& traffic_;
  TrafficPackets packets_;
  System* system_ = nullptr;
  std::vector<Sender> senders_;        // by node
  std::vector<std::int32_t> node_at_;  // by node of the network
  std::int64_t under_way_ = 0;         // copies of packets handed over and not delivered
  std::unordered_map<const std::vector<std::int32_t>*, MulticastTree> trees_;
  Picoseconds end_{};
};

}  // namespace kernbench
