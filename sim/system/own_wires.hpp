// The way of a PE that runs alone to its own partition, without a network: links that nobody else is on, so that all
// times along them are known at once (adr/0028, 28.3).
#pragma once

#include "sim/hw/memory/direct_route.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// True where a PE has a partition, and a flow between the two never waits for room, so that links alone take what the
/// network takes, to the picosecond.
[[nodiscard]] bool own_wires_are_exact(const MachineSpec& machine);

class OwnWires {
 public:
  OwnWires(const MachineSpec& machine, MemoryPort& memory);
  MemoryRoute& route() { return route_; }
  /// What they count may be counted on (adr/0047).
  void follow(Repetition& repetition) {
    for (Link* link : {&memory_to_router_, &router_to_pe_, &pe_to_router_, &router_to_memory_})
      link->follow(repetition);
  }
  /// That have passed a link, of all of them.
  [[nodiscard]] Bytes bytes() const {
    return memory_to_router_.bytes() + router_to_pe_.bytes() + pe_to_router_.bytes() + router_to_memory_.bytes();
  }
  /// That have passed the router.
  [[nodiscard]] Bytes router_bytes() const { return router_to_pe_.bytes() + router_to_memory_.bytes(); }

 private:
  Link memory_to_router_;
  Link router_to_pe_;
  Link pe_to_router_;
  Link router_to_memory_;
  DirectRoute route_;
};

}  // namespace kernbench
