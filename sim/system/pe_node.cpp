#include "sim/system/pe_node.hpp"

#include <string>

namespace kernbench {

namespace {

Picoseconds pe_wire(const DieSpec& die) { return die.wire.delay(die.wire.pe_to_router_um); }
Picoseconds memory_wire(const DieSpec& die) { return die.wire.delay(die.wire.hbm_to_router_um); }

}  // namespace

Picoseconds local_memory_latency(const DieSpec& die) { return pe_wire(die) + die.router.hop + memory_wire(die); }

PeNode::PeNode(std::int64_t index, Calendar& calendar, OpLog& log, const MachineSpec& machine, DataPath* data)
    : memory_to_router_("memory_to_router", machine.die.router.link, memory_wire(machine.die)),
      router_to_pe_("router_to_pe", machine.die.router.link, machine.die.router.hop + pe_wire(machine.die)),
      pe_to_router_("pe_to_router", machine.die.router.link, pe_wire(machine.die)),
      router_to_memory_("router_to_memory", machine.die.router.link, machine.die.router.hop + memory_wire(machine.die)),
      memory_(("hbm" + std::to_string(index)).c_str(), calendar, machine.die.hbm),
      route_(memory_, Path({&pe_to_router_, &router_to_memory_}), Path({&memory_to_router_, &router_to_pe_}),
             local_memory_latency(machine.die)),
      pe_(("pe" + std::to_string(index)).c_str(), {calendar, log, machine, data}) {
  pe_.read_port().bind(route_);
  pe_.write_port().bind(route_);
}

}  // namespace kernbench
