#include "sim/system/own_wires.hpp"

#include <algorithm>

namespace kernbench {

namespace {

Picoseconds pe_wire(const DieSpec& die) { return die.wire.delay(die.wire.pe_to_router_um); }
Picoseconds memory_wire(const DieSpec& die) { return die.wire.delay(die.wire.hbm_to_router_um); }

/// One way: wire, router, wire (4.1).
Picoseconds latency(const DieSpec& die) { return pe_wire(die) + die.router.hop + memory_wire(die); }

}  // namespace

bool own_wires_are_exact(const MachineSpec& machine) {
  const DieSpec& die = machine.die;
  if (die.hbm.shared()) return false;
  const Bytes in_flight = machine.pe.dma.outstanding_bursts * die.hbm.burst;
  const Bytes packet = machine.simulation.packet;
  // What a virtual channel has to hold so that its packets, of whatever lengths, follow each other without a gap: what
  // passes while the room of one is on its way back, the packet that began before that, and the one that is to enter.
  const Picoseconds round = 2 * std::max(pe_wire(die), memory_wire(die)) + die.router.hop;
  const Bytes passes = ceil_mul_div(round.value, die.router.link.bytes_per_second, kPicosecondsPerSecond);
  const Bytes needed = std::min(in_flight, passes + 2 * packet);
  return die.router.buffer >= needed && die.hbm.port_buffer >= in_flight;
}

OwnWires::OwnWires(const MachineSpec& machine, MemoryPort& memory)
    : memory_to_router_("memory_to_router", machine.die.router.link, memory_wire(machine.die)),
      router_to_pe_("router_to_pe", machine.die.router.link, machine.die.router.hop + pe_wire(machine.die)),
      pe_to_router_("pe_to_router", machine.die.router.link, pe_wire(machine.die)),
      router_to_memory_("router_to_memory", machine.die.router.link, machine.die.router.hop + memory_wire(machine.die)),
      route_(memory, Path({&pe_to_router_, &router_to_memory_}), Path({&memory_to_router_, &router_to_pe_}),
             latency(machine.die)) {}

}  // namespace kernbench
