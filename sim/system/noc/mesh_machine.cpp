#include "sim/system/noc/mesh_machine.hpp"

#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kCycleOfWireUm = 1000;

/// Not used by traffic between PEs, but there: memories as fast as their links.
void add_memories(MachineSpec& machine) {
  const Bandwidth link = machine.die.router.link;
  machine.die.hbm.bandwidth = link;
  machine.die.hbm.pseudo_channels = 1;
  machine.die.hbm.burst = kFlitBytes;
  machine.die.sram.bandwidth = link;
  machine.pe.tcm.read = machine.pe.tcm.write = machine.pe.fetch = machine.pe.store = link;
  machine.pe.clock = {kPicosecondsPerSecond / kMeshCycle.value};
  machine.pe.mac.macs_per_cycle = machine.pe.vector.lanes = 1;
  machine.pe.dma.outstanding_bursts = 1;
}

/// Not used either: the package's switch with its host.
void add_package(MachineSpec& machine) {
  const RouterSpec& router = machine.die.router;
  machine.system.packages = machine.package.dies = {1, 1};
  machine.package.die_to_die = {machine.die.routers.columns, router.link, {}, router.buffer};
  machine.system.package_link = machine.system.host_link = router.link;
  machine.system.package_link_buffer = router.buffer;
}

}  // namespace

MachineSpec mesh_machine(const FlitMeshConfig& mesh) {
  check_flit_mesh(mesh);
  if (mesh.credit_cycles != 0) {
    throw ConfigError("credit cycles: expected 0, since packet routers count a credit at once, got " +
                      std::to_string(mesh.credit_cycles) + "; leave it out, or take the network of flits");
  }
  MachineSpec machine;
  machine.name = "mesh-" + std::to_string(mesh.rows) + "x" + std::to_string(mesh.columns);
  DieSpec& die = machine.die;
  die.routers = {mesh.rows, mesh.columns};
  die.router.hop = mesh.router_cycles * kMeshCycle;
  die.router.link = {kFlitBytes * kPicosecondsPerSecond / kMeshCycle.value};
  die.router.virtual_channels = mesh.virtual_channels;
  die.router.multicast = mesh.multicast;
  die.router.buffer = mesh.buffer_flits * kFlitBytes;
  die.wire.per_mm = kMeshCycle;
  die.wire.pe_to_router_um = die.wire.hbm_to_router_um = die.wire.sram_to_router_um = kCycleOfWireUm;
  die.wire.router_to_router_um = mesh.link_cycles * kCycleOfWireUm;
  machine.simulation.packet = mesh.packet_flits * kFlitBytes;
  add_memories(machine);
  add_package(machine);
  return machine;
}

}  // namespace kernbench
