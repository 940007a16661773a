// The controller of one PE's HBM partition.
#pragma once

#include <systemc>

#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/memory/pseudo_channels.hpp"

namespace kernbench {

/// Serves requests in the order of their arrival; at one instant reads come before writes. Read data and
/// acknowledgements leave in the order of the requests (ADR-0004, clauses 4.5 to 4.10).
class HbmController : public sc_core::sc_module, public MemoryPort {
 public:
  /// `acknowledgement` is the latency of the way back to the requester of a write.
  HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec,
                Picoseconds acknowledgement);

  void read(const MemoryRequest& request, Picoseconds arrival) override { reads_.push(request, arrival); }
  void write(const MemoryRequest& request, Picoseconds arrival) override { writes_.push(request, arrival); }

  [[nodiscard]] const PseudoChannels& channels() const { return channels_; }

 private:
  Process serve_reads();
  Process serve_writes();

  Calendar& calendar_;
  HbmSpec spec_;
  Picoseconds acknowledgement_;
  PseudoChannels channels_;
  Queue<MemoryRequest> reads_;
  Queue<MemoryRequest> writes_;
  Process read_process_;
  Process write_process_;
};

}  // namespace kernbench
