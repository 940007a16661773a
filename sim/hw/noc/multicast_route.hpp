// A route to several memories at once: what is written goes over the network in packets for all of them (adr/0065).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/hw/noc/network_route.hpp"

namespace kernbench {

class MulticastRoute : public MemoryRoute, private PacketSink {
 public:
  /// A memory, and who is told what it has taken.
  struct Receiver {
    NetworkRoute* route = nullptr;
    MemoryClient* client = nullptr;
  };
  /// From the endpoint `node` of the network's plan.
  MulticastRoute(Network& network, std::int32_t node, std::vector<Receiver> receivers)
      : network_(network), node_(node), receivers_(std::move(receivers)), tree_(network.tree(node, nodes())) {}

  /// Of the farthest.
  [[nodiscard]] Picoseconds latency() const override {
    Picoseconds most;
    for (const Receiver& receiver : receivers_) most = std::max(most, receiver.route->latency());
    return most;
  }
  void read(const MemoryAccess& /*access*/, Picoseconds /*at*/) override { KB_CHECK(false, kWritten); }
  void write(const MemoryAccess& access, Flight out) override {
    for (const Receiver& receiver : receivers_) {
      MemoryAccess there = access;
      there.client = receiver.client;
      there.route = receiver.route;
      receiver.route->announce(there);
    }
    network_.inject({.source = node_,
                     .destination = tree_.receivers.front(),
                     .bytes = access.bytes,
                     .sink = this,
                     .user = node_,
                     .tree = &tree_},
                    out);
  }
  void taken(const MemoryAccess& /*access*/, Picoseconds /*at*/) override { KB_CHECK(false, kWritten); }

 private:
  static constexpr const char* kWritten = "several memories are written: each answers by its own route";

  void carry_back(const MemoryAccess& /*access*/, Picoseconds /*ready*/) override { KB_CHECK(false, kWritten); }
  void delivered(const NetworkPacket& packet, Flight flight) override {
    const auto number = static_cast<std::size_t>(tree_.branch(packet.branch).receiver);
    receivers_[number].route->deliver(packet, flight);
  }
  [[nodiscard]] std::vector<std::int32_t> nodes() const {
    std::vector<std::int32_t> nodes;
    for (const Receiver& receiver : receivers_) nodes.push_back(receiver.route->memory_node());
    return nodes;
  }

  Network& network_;
  std::int32_t node_;
  std::vector<Receiver> receivers_;
  MulticastTree tree_;
};

}  // namespace kernbench
