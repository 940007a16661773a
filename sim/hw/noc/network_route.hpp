// A route over the network: packets of other traffic get in the way.
#pragma once

#include "sim/base/ring_buffer.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/noc/network.hpp"

namespace kernbench {

/// Data cross the network as packets; requests and acknowledgements take the latency of an idle network.
class NetworkRoute : public MemoryRoute {
 public:
  /// `pe` and `memory_node` are nodes of the network's plan; `memory` is what is found at the latter.
  NetworkRoute(Network& network, std::int32_t pe, std::int32_t memory_node, MemoryPort& memory)
      : network_(network),
        pe_(pe),
        memory_node_(memory_node),
        memory_(memory),
        latency_(network.latency(pe, memory_node)) {}

  [[nodiscard]] Picoseconds latency() const override { return latency_; }

  void read(const MemoryAccess& access, Picoseconds at) override {
    MemoryAccess request = access;
    request.from = pe_;
    memory_.read(request, at + latency_);
  }

  void write(const MemoryAccess& access, Flight out) override {
    network_.inject(
        {.source = pe_, .destination = memory_node_, .bytes = access.bytes, .sink = &announce(access), .user = pe_},
        out);
  }
  [[nodiscard]] std::int32_t memory_node() const { return memory_node_; }
  /// Data to be written are on their way in a packet of somebody else's, who delivers it.
  PacketSink& announce(const MemoryAccess& access) {
    to_memory_.accesses.push_back(access);
    to_memory_.accesses.back().from = pe_;
    return to_memory_;
  }
  void deliver(const NetworkPacket& packet, Flight flight) { to_memory_.delivered(packet, flight); }

  void taken(const MemoryAccess& access, Picoseconds at) override {
    network_.taken_out(memory_node_, access.bytes, at);
  }

 private:
  void carry_back(const MemoryAccess& access, Picoseconds ready) override {
    to_pe_.accesses.push_back(access);
    to_pe_.accesses.back().waits.links = Picoseconds{} - ready - latency_;  // and what it will be there at
    network_.inject({.source = memory_node_, .destination = pe_, .bytes = access.bytes, .sink = &to_pe_, .user = pe_},
                    {ready, ready});
  }

  /// Accesses on their way; packets of one source and destination keep their order.
  struct OnTheWay : PacketSink {
    RingBuffer<MemoryAccess> accesses;
  };
  struct ToMemory : OnTheWay {
    explicit ToMemory(MemoryPort& port) : memory(port) {}
    void delivered(const NetworkPacket& packet, Flight flight) override {
      MemoryAccess access = accesses.pop_front();
      access.waits.links_contention = packet.contention;
      memory.write(access, flight);
    }
    MemoryPort& memory;
  };
  struct ToPe : OnTheWay {
    void delivered(const NetworkPacket& packet, Flight flight) override {
      MemoryAccess access = accesses.pop_front();
      access.waits.links += flight.head - packet.contention;
      access.waits.links_contention = packet.contention;
      access.client->read_arrived(access, flight);
    }
  };

  Network& network_;
  std::int32_t pe_;
  std::int32_t memory_node_;
  MemoryPort& memory_;
  Picoseconds latency_;
  ToMemory to_memory_{memory_};
  ToPe to_pe_;
};

}  // namespace kernbench
