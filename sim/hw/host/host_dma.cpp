#include "sim/hw/host/host_dma.hpp"

namespace kernbench {

namespace {

MachineSpec with_command_latency(MachineSpec machine) {
  machine.pe.dma.setup = machine.system.io_processor;
  return machine;
}

}  // namespace

HostDma::HostDma(const sc_core::sc_module_name& name, const Context& context)
    : DmaEngine(name, {context.calendar, context.log, with_command_latency(context.machine), nullptr}) {
  log_stage(context.log, Stage::kLoad);
  log_stage(context.log, Stage::kStoreOut);
}

Picoseconds HostDma::issue(const MemoryAccess& access, const Transfer& transfer) {
  if (transfer.stage == Stage::kStoreOut) {
    access.route->write(access, {now(), now()});
  } else {
    access.route->read(access, now());
  }
  return now();
}

void HostDma::read_arrived(const MemoryAccess& access, Flight flight) { packet_done(access, flight.tail); }

void HostDma::written(const MemoryAccess& access, Picoseconds at) { packet_done(access, at + access.route->latency()); }

}  // namespace kernbench
