// A die's shared SRAM: one port that serves reads and writes in the order of their arrival (adr/0019, clause 19.7).
#pragma once

#include <systemc>

#include "sim/engine/alarm.hpp"
#include "sim/hw/link/sharing.hpp"
#include "sim/hw/memory/arrivals.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

class SramController : public sc_core::sc_module, public MemoryPort {
 public:
  SramController(const sc_core::sc_module_name& name, Calendar& calendar, const SramSpec& spec);

  void read(const MemoryAccess& access, Picoseconds arrival) override;
  void write(const MemoryAccess& access, Flight arrival) override;

  /// Read and written so far.
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  void take(const MemoryRequest& request);
  void serve();

  Calendar& calendar_;
  SramSpec spec_;
  Picoseconds free_at_;
  Bytes bytes_ = 0;
  Sharing sharing_;
  Arrivals requests_;
  Alarm alarm_;
};

}  // namespace kernbench
