// How a DMA engine and a memory controller talk: requests by packet, answers announced as soon as their time is known.
#pragma once

#include <systemc>

#include "sim/hw/noc/link.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

/// The requester's side.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The packet is in the requester's memory (read) or its acknowledgement has arrived (write) at `at`.
  virtual void packet_done(const Packet& packet, bool last, Picoseconds at) = 0;
};

struct MemoryRequest {
  Packet packet;
  bool last = false;  ///< of its transfer
  MemoryClient* client = nullptr;
  const Path* answer = nullptr;  ///< way of the read data to the client
};

/// The controller's side. Requests arrive at `arrival`; those of one kind must arrive in order.
class MemoryPort : public sc_core::sc_interface {
 public:
  virtual void read(const MemoryRequest& request, Picoseconds arrival) = 0;
  virtual void write(const MemoryRequest& request, Picoseconds arrival) = 0;
};

/// One PE's way to its memory controller and back.
struct MemoryRoute {
  Path to_memory;
  Path to_pe;
  Picoseconds latency;  ///< one way, of requests and acknowledgements, which take no bandwidth
};

}  // namespace kernbench
