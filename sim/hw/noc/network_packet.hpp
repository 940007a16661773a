// What travels in a network, and who is told of its arrival.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/hw/link/link.hpp"
#include "sim/plan/network/multicast_tree.hpp"

namespace kernbench {

struct NetworkPacket;

/// What a packet is for. Lives until the packet has been delivered.
class PacketSink {
 public:
  PacketSink() = default;
  PacketSink(const PacketSink&) = delete;
  PacketSink& operator=(const PacketSink&) = delete;
  virtual ~PacketSink() = default;
  /// The packet's head and tail are at its destination at `flight`; told as soon as that is known, which may be before.
  /// Calls for one destination come in the order of arrival; one that has several is told of each, at packet.branch of
  /// its tree. The sink may inject other packets at once.
  virtual void delivered(const NetworkPacket& packet, Flight flight) = 0;
  /// The packet's head enters the link of its source at `at`; told as soon as that is known. The sink may inject other
  /// packets at once.
  virtual void entered(const NetworkPacket& /*packet*/, Picoseconds /*at*/) {}
};

/// Data and credits of message queues share routes and wires, but wait in channels of their own: neither is ever behind
/// the other (ADR-0017, 17.8 and 17.9).
enum class VirtualNetwork : std::uint8_t { kCredits, kData };

struct NetworkPacket {
  std::int32_t source = 0;       ///< node of the plan
  std::int32_t destination = 0;  ///< node of the plan
  Bytes bytes = 0;               ///< what takes bandwidth
  PacketSink* sink = nullptr;
  std::uint64_t tag = 0;  ///< the sink's own
  VirtualNetwork network = VirtualNetwork::kData;
  std::int32_t user = 0;     ///< node of the PE that it moves for
  Picoseconds contention{};  ///< what it has waited on its way for packets of others (33.9)
  /// Of a packet with several destinations, the first of which is `destination`: its ways, which outlive it.
  const MulticastTree* tree = nullptr;
  std::int32_t branch = 0;  ///< of its tree: the link that it has entered last
};

}  // namespace kernbench
