// The controller of one PE's HBM partition.
#pragma once

#include <systemc>

#include "sim/engine/merging_queue.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/memory/pseudo_channels.hpp"

namespace kernbench {

/// Serves requests in the order of their arrival; at one instant reads come before writes. Read data and
/// acknowledgements leave in the order of the requests (ADR-0004, clauses 4.5 to 4.10).
class HbmController : public sc_core::sc_module, public MemoryPort {
 public:
  HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec);

  void read(const MemoryAccess& access, Picoseconds arrival) override { reads_.push(access, arrival); }
  void write(const MemoryAccess& access, Flight arrival) override { writes_.push(access, arrival.tail); }

  [[nodiscard]] const PseudoChannels& channels() const { return channels_; }

 private:
  Process serve_reads();
  Process serve_writes();

  Calendar& calendar_;
  Picoseconds read_latency_;
  PseudoChannels channels_;
  MergingQueue<MemoryAccess> reads_;
  Queue<MemoryAccess> writes_;
  Process read_process_;
  Process write_process_;
};

}  // namespace kernbench
