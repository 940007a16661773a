// A die's shared SRAM: one port that serves reads and writes in the order of their arrival (adr/0019, clause 19.4).
#pragma once

#include <systemc>

#include "sim/engine/merging_queue.hpp"
#include "sim/engine/process.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

class SramController : public sc_core::sc_module, public MemoryPort {
 public:
  SramController(const sc_core::sc_module_name& name, Calendar& calendar, const SramSpec& spec);

  void read(const MemoryAccess& access, Picoseconds arrival) override { requests_.push({access, true}, arrival); }
  void write(const MemoryAccess& access, Flight arrival) override { requests_.push({access, false}, arrival.tail); }

 private:
  struct Request {
    MemoryAccess access;
    bool is_read = false;
  };

  Process serve();

  Calendar& calendar_;
  SramSpec spec_;
  MergingQueue<Request> requests_;
  Process process_;
};

}  // namespace kernbench
