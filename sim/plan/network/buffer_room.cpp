#include "sim/plan/network/buffer_room.hpp"

#include <algorithm>

#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

/// Of the links of one kind the one that needs the most room.
struct BufferedLink {
  std::string name;
  std::string key;  ///< of the buffer
  Bandwidth bandwidth;
  Picoseconds latency;
  Picoseconds hop;         ///< of the router or switch behind it
  Bytes buffer = 0;        ///< of one connection
  std::int64_t lanes = 1;  ///< connections that are ganged
};

std::vector<BufferedLink> kinds_of(const MachineSpec& machine) {
  const auto& wire = machine.die.wire;
  const auto& ports = machine.package.die_to_die;
  const auto& system = machine.system;
  const Picoseconds on_die = std::max({wire.delay(wire.pe_to_router_um), wire.delay(wire.hbm_to_router_um),
                                       wire.delay(wire.sram_to_router_um), wire.delay(wire.router_to_router_um)});
  const auto die_to_die = [&](std::int64_t routers, Picoseconds hop) {
    const std::int64_t lanes = ports.connections_of_router(routers);
    return BufferedLink{"the links between dies",
                        "package.die_to_die.buffer",
                        {lanes * ports.bandwidth.bytes_per_second},
                        2 * ports.port,
                        hop,
                        ports.buffer,
                        lanes};
  };
  std::vector<BufferedLink> kinds = {{"the links of a die", "die.router.buffer", machine.die.router.link, on_die,
                                      machine.die.router.hop, machine.die.router.buffer}};
  if (has_section(machine, "package.die_to_die")) {
    kinds.push_back(die_to_die(machine.die.routers.columns, std::max(machine.die.router.hop, system.package_switch)));
  }
  if (machine.package.dies.columns > 1) kinds.push_back(die_to_die(machine.die.routers.rows, machine.die.router.hop));
  if (system.packages.count() > 1) {
    kinds.push_back({"the links between packages", "system.package_link.buffer", system.package_link,
                     system.package_link_latency, system.package_switch, system.package_link_buffer});
  }
  return kinds;
}

std::string size(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

}  // namespace

std::vector<std::string> buffer_warnings(const MachineSpec& machine) {
  const Bytes packet = machine.simulation.packet;
  std::vector<std::string> warnings;
  for (const BufferedLink& kind : kinds_of(machine)) {
    const Bytes buffer = kind.lanes * kind.buffer;
    const Picoseconds service = kind.bandwidth.time_for(packet);
    const Picoseconds round = room_round_trip(kind.latency, kind.hop, service);
    const std::int64_t needs = ceil_div(round.value, service.value);
    const std::int64_t holds = packets_held(buffer, packet);
    if (holds >= needs) continue;
    warnings.push_back(kind.key + ": the buffers of " + kind.name + " hold " + std::to_string(holds) + " packets of " +
                       size(packet) + ", and a flow stops for lack of room; expected at least " +
                       std::to_string(needs) + ": set " + kind.key + " to " +
                       size(ceil_div(needs * packet, kind.lanes)) + " or more");
  }
  return warnings;
}

}  // namespace kernbench
