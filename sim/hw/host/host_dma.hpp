// A host's DMA engine: moves data between the host and the memories of the machine (adr/0021).
#pragma once

#include "sim/hw/pe/dma_engine.hpp"

namespace kernbench {

/// A PE's engine without a TCM: the host's own memory gives and takes everything at once. What a command costs before
/// its first packet is the IO processor's latency. A transfer is a read from the device or, in stage kStoreOut, a
/// write.
class HostDma : public DmaEngine {
 public:
  HostDma(const sc_core::sc_module_name& name, Calendar& calendar, OpLog& log, const MachineSpec& machine);

 private:
  Picoseconds issue(const MemoryAccess& access, const Transfer& transfer) override;
  void read_arrived(const MemoryAccess& access, Flight flight) override;
  void written(const MemoryAccess& access, Picoseconds at) override;
};

}  // namespace kernbench
