#include "sim/hw/host/host_dma.hpp"

namespace kernbench {

HostDma::HostDma(const sc_core::sc_module_name& name, Calendar& calendar, OpLog& log, const MachineSpec& machine)
    : DmaEngine(name, {calendar, log, nullptr}, dma_engine_spec(machine, machine.system.io_processor),
                {kLoadStage, kStoreOutStage}) {}

Picoseconds HostDma::issue(const MemoryAccess& access, const Transfer& transfer) {
  if (transfer.stage == kStoreOutStage) {
    access.route->write(access, {now(), now()});
  } else {
    access.route->read(access, now());
  }
  return now();
}

void HostDma::read_arrived(const MemoryAccess& access, Flight flight) { packet_done(access, flight.tail); }

void HostDma::written(const MemoryAccess& access, Picoseconds at) { packet_done(access, at + access.route->latency()); }

}  // namespace kernbench
