// How DMA engines and memories talk: packets of a transfer go over a route to a memory's port; answers are announced as
// soon as their time is known.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/engine/reason.hpp"
#include "sim/hw/link/link.hpp"
#include "sim/hw/values/cargo.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

class MemoryClient;
class MemoryRoute;

/// What a packet that is read has waited for, besides its turn at the TCM's port (adr/0033, 33.4); of one that is
/// written, contention alone.
struct PacketWaits {
  Picoseconds issued;         ///< when it was
  Reason reason = kNoReason;  ///< of that
  Picoseconds setup;          ///< of its transfer, before its first packet
  Picoseconds credits;
  bool held = false;  ///< since the engine was last idle it has waited for credits
  Picoseconds memory;
  Picoseconds links;  ///< on its way back
  // Packets of other PEs (33.9), which those two leave out.
  Picoseconds memory_contention;
  Picoseconds links_contention;
};

/// One packet of a transfer on its way.
struct MemoryAccess {
  Packet packet;      ///< of the memory
  Bytes bytes = 0;    ///< on links and TCM ports
  bool last = false;  ///< of its transfer
  MemoryClient* client = nullptr;
  MemoryRoute* route = nullptr;
  void* transfer = nullptr;  ///< the client's own
  std::int32_t from = 0;     ///< node of who asks: the lower one comes first among requests of one instant
  Cargo* cargo = nullptr;    ///< in runs that carry values: the transfer's
  PacketWaits waits{};
  std::int64_t others = 0;  ///< bursts before it that other controllers of the memory have (64.3)

  [[nodiscard]] Packet at_controller() const { return {packet.first_burst - others, packet.bursts}; }
};

/// Who started an access.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The data of a read are at the client's end of the route at `flight`.
  virtual void read_arrived(const MemoryAccess& access, Flight flight) = 0;
  /// The memory has taken the data of a write at `at`, at its own end of the route.
  virtual void written(const MemoryAccess& access, Picoseconds at) = 0;
};

/// The memory's side. Arrivals may be announced ahead of time and in any order.
class MemoryPort {
 public:
  MemoryPort() = default;
  MemoryPort(const MemoryPort&) = delete;
  MemoryPort& operator=(const MemoryPort&) = delete;
  virtual ~MemoryPort() = default;
  /// The request is there at `arrival`.
  virtual void read(const MemoryAccess& access, Picoseconds arrival) = 0;
  /// The data are there at `arrival`.
  virtual void write(const MemoryAccess& access, Flight arrival) = 0;
};

/// How one PE reaches one memory, whatever controllers this has.
class MemoryWay : public sc_core::sc_interface {
 public:
  [[nodiscard]] virtual Interleaving interleaving() const { return {}; }
  /// The route to the controller that has this burst.
  virtual MemoryRoute& route_to(std::int64_t burst) = 0;
};

/// One PE's way to one controller and back. Requests and acknowledgements take `latency` and no bandwidth.
class MemoryRoute : public MemoryWay {
 public:
  MemoryRoute& route_to(std::int64_t /*burst*/) override { return *this; }
  [[nodiscard]] virtual Picoseconds latency() const = 0;
  /// Sends a read request at `at`.
  virtual void read(const MemoryAccess& access, Picoseconds at) = 0;
  /// Sends data that leave the PE's memory at `out`.
  virtual void write(const MemoryAccess& access, Flight out) = 0;
  /// The data of a write leave the buffer of the memory's port at `at`.
  virtual void taken(const MemoryAccess& access, Picoseconds at) = 0;
  /// Takes the data of a read, ready at the memory at `ready`, back to the client.
  void answer(const MemoryAccess& access, Picoseconds ready) {
    if (access.cargo != nullptr) access.cargo->leaves(access.packet, ready);
    carry_back(access, ready);
  }

 private:
  virtual void carry_back(const MemoryAccess& access, Picoseconds ready) = 0;
};

/// The ways of one PE to the memories of the machine.
class MemoryRoutes {
 public:
  MemoryRoutes() = default;
  MemoryRoutes(const MemoryRoutes&) = delete;
  MemoryRoutes& operator=(const MemoryRoutes&) = delete;
  virtual ~MemoryRoutes() = default;
  /// Throws SimulationError where no memory of this name is to be reached.
  virtual MemoryWay& to(MemoryNode memory) = 0;
};

}  // namespace kernbench
