// A PE's DMA engines: one reads from HBM into TCM, one writes from TCM to HBM. Each works its transfers off in order,
// with as many bursts in flight as its credits allow (adr/0004-memory-system.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <systemc>

#include "sim/engine/op_log.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/timed_actions.hpp"
#include "sim/engine/tokens.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/pe/data_path.hpp"
#include "sim/hw/pe/transfer.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// What both directions share: the front end that sets transfers up and issues packets, and the credits.
class DmaEngine : public sc_core::sc_module, public MemoryClient {
 public:
  struct Context {
    Calendar& calendar;
    OpLog& log;
    const MachineSpec& machine;
    const MemoryRoute& route;
    DataPath* data;  ///< null: no values are carried
  };

  sc_core::sc_port<MemoryPort> memory;

  void submit(Transfer transfer, Picoseconds at) { queue_.push(std::move(transfer), at); }

 protected:
  DmaEngine(const sc_core::sc_module_name& name, const Context& context);

  /// Sends one packet on its way at the present instant.
  virtual void issue(const Packet& packet, bool last, const Transfer& transfer) = 0;
  /// Hears of a transfer's end as soon as its time is known.
  virtual void complete(const Transfer& /*transfer*/, Picoseconds /*at*/) {}

  [[nodiscard]] Picoseconds now() const { return calendar_.now(); }
  [[nodiscard]] Bytes burst() const { return burst_; }
  [[nodiscard]] DataPath* data() const { return data_; }

  /// Opens the engine's record channel for a stage.
  void log_stage(OpLog& log, Stage stage);

 private:
  struct InFlight {
    Transfer transfer;
    Picoseconds start;
  };

  void packet_done(const Packet& packet, bool last, Picoseconds at) override;
  Process run();

  Calendar& calendar_;
  Picoseconds setup_;
  Bytes burst_;
  std::int64_t packet_bursts_;
  DataPath* data_;
  Queue<Transfer> queue_;
  Tokens credits_;
  std::deque<InFlight> in_flight_;
  std::array<OpChannel*, kStageNames.size()> channels_{};
  Process process_;
};

class DmaReader : public DmaEngine {
 public:
  /// `tcm_write` is the TCM port that the data end in.
  DmaReader(const sc_core::sc_module_name& name, const Context& context, Link& tcm_write);

 private:
  void issue(const Packet& packet, bool last, const Transfer& transfer) override;

  void complete(const Transfer& transfer, Picoseconds at) override;

  Picoseconds latency_;
  Path answer_;
  std::optional<TimedActions> arrivals_;
};

class DmaWriter : public DmaEngine {
 public:
  /// `tcm_read` is the TCM port that the data come from; one of `buffers` is released when the last byte of an output
  /// tile has left the TCM.
  DmaWriter(const sc_core::sc_module_name& name, const Context& context, Link& tcm_read, Tokens& buffers);

 private:
  void issue(const Packet& packet, bool last, const Transfer& transfer) override;

  Path to_memory_;
  Link& tcm_read_;
  Tokens& buffers_;
  std::optional<TimedActions> departures_;
};

}  // namespace kernbench
