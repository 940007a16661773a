// The controller of one PE's HBM partition.
#pragma once

#include <systemc>

#include "sim/engine/alarm.hpp"
#include "sim/hw/memory/arrivals.hpp"
#include "sim/hw/memory/memory_model.hpp"
#include "sim/hw/memory/pseudo_channels.hpp"

namespace kernbench {

/// Serves reads in the order of their arrival and takes writes in, in theirs, as soon as there is room; a write is
/// acknowledged when it has been taken in. At one instant reads come first (ADR-0004, clauses 4.5 to 4.10, 4.15
/// to 4.17).
class HbmController : public sc_core::sc_module, public HbmPartition {
 public:
  HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec);

  void read(const MemoryAccess& access, Picoseconds arrival) override;
  void write(const MemoryAccess& access, Flight arrival) override;

  [[nodiscard]] std::int64_t bursts() const override { return channels_.bursts(); }
  [[nodiscard]] std::optional<double> busy_ns(Picoseconds end) const override { return channels_.busy_ns(end); }
  [[nodiscard]] Bytes follow(Repetition& repetition) override;

 private:
  void serve();
  void note(const Packet& packet, Picoseconds at);

  Calendar& calendar_;
  Bytes interleaved_;  ///< one burst of each channel
  Picoseconds read_latency_;
  PseudoChannels channels_;
  Arrivals reads_;
  Arrivals writes_;
  Alarm alarm_;
};

}  // namespace kernbench
