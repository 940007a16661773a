// The network: routers and links wired as a NetworkPlan says, entered and left at its endpoints (adr/0017).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/hw/noc/link.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

struct NetworkPacket;

/// What a packet is for. Lives until the packet has been delivered.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  /// The packet's head and tail are at its destination at `flight`; told as soon as that is known, which may be before.
  /// Calls for one destination come in the order of arrival.
  virtual void delivered(const NetworkPacket& packet, Flight flight) = 0;
};

struct NetworkPacket {
  std::int32_t source = 0;       ///< node of the plan
  std::int32_t destination = 0;  ///< node of the plan
  Bytes bytes = 0;               ///< what takes bandwidth
  PacketSink* sink = nullptr;
  std::uint64_t tag = 0;  ///< the sink's own
};

/// Traffic of one link.
struct LinkTotals {
  std::int64_t packets = 0;
  Bytes bytes = 0;
  Picoseconds busy;
};

class Network : public sc_core::sc_module {
 public:
  Network(const sc_core::sc_module_name& name, Calendar& calendar, const NetworkPlan& plan);
  ~Network() override;

  /// The packet's bytes are ready at its source at `ready` (head not before now). Packets of one source enter in the
  /// order of the calls; a source has unlimited room. Packets of one source and destination keep their order.
  void inject(const NetworkPacket& packet, Flight ready);

  /// Time of a message without bytes over an idle network.
  [[nodiscard]] Picoseconds latency(std::int32_t source, std::int32_t destination) const;

  /// By link of the plan.
  [[nodiscard]] std::vector<LinkTotals> totals() const;
};

}  // namespace kernbench
