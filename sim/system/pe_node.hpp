// One PE wired to its HBM partition through the router between them: the part of the machine that a one-PE kernel uses.
#pragma once

#include <cstdint>

#include "sim/hw/memory/direct_route.hpp"
#include "sim/hw/memory/hbm_controller.hpp"
#include "sim/hw/pe/pe.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// One-way latency between a PE and its own memory controller: wire, router, wire (ADR-0004, clause 4.1).
[[nodiscard]] Picoseconds local_memory_latency(const DieSpec& die);

class PeNode {
 public:
  /// The modules are called pe<index> and hbm<index>.
  PeNode(std::int64_t index, Calendar& calendar, OpLog& log, const MachineSpec& machine, DataPath* data);

  Pe& pe() { return pe_; }
  [[nodiscard]] const HbmController& memory() const { return memory_; }

 private:
  Link memory_to_router_;
  Link router_to_pe_;
  Link pe_to_router_;
  Link router_to_memory_;
  HbmController memory_;
  DirectRoute route_;
  Pe pe_;
};

}  // namespace kernbench
