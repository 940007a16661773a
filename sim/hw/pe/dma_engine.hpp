// A PE's DMA engines: one reads from HBM into TCM, one writes from TCM to HBM. Each works its transfers off in order,
// with as many bursts in flight as its credits allow (adr/0004-memory-system.md).
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <systemc>
#include <vector>

#include "sim/engine/merging_queue.hpp"
#include "sim/engine/op_log.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/tokens.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "sim/hw/pe/tcm_link.hpp"
#include "sim/hw/pe/transfer.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// What an engine needs to know of its machine.
struct DmaEngineSpec {
  Picoseconds setup;         ///< per transfer, before its first packet is issued
  std::int64_t credits = 0;  ///< bursts in flight
  Bytes burst = 0;
  std::int64_t packet_bursts = 0;
  Cause links = Cause::kLinks;  ///< what a wait for links on the way back is, and one for the TCM's port (33.4)
  Cause port = Cause::kTcmPort;
};

/// An engine of this machine that takes `setup` to set a transfer up.
[[nodiscard]] DmaEngineSpec dma_engine_spec(const MachineSpec& machine, Picoseconds setup);

/// What both directions share: the front end that sets transfers up and issues packets, and the credits.
class DmaEngine : public sc_core::sc_module, public MemoryClient {
 public:
  struct Context {
    Calendar& calendar;
    OpLog& log;
    MemoryRoutes* routes = nullptr;  ///< to other memories than the one that `memory` is bound to
    Ledger* ledger = nullptr;        ///< null: none is kept
  };

  sc_core::sc_port<MemoryWay> memory;  ///< the PE's own partition

  /// A transfer without a reason is due to what goes on elsewhere.
  void submit(Transfer transfer, Picoseconds at) {
    transfer.submitted = at;
    if (transfer.reason == kNoReason && ledger_ != nullptr) {
      transfer.reason = ledger_->elsewhere(transfer.beside ? Cause::kContention : Cause::kReceive, at);
    }
    const std::int64_t turn = transfer.turn;
    queue_.push(std::move(transfer), at, turn);
  }

 protected:
  /// `stages` are those of the engine's own transfers; others submit theirs with stages of their own.
  DmaEngine(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec,
            std::initializer_list<Stage> stages);

  /// Sends one packet on its way at the present instant.
  /// Returns when it has left the PE.
  virtual Picoseconds issue(const MemoryAccess& access, const Transfer& transfer) = 0;
  /// A packet is through; its credits come back at `at`.
  void packet_done(const MemoryAccess& access, Picoseconds at, Reason reason = kNoReason);

  struct InFlight {
    Transfer transfer;
    Picoseconds start;
    Picoseconds end;
    bool done = false;
    Reason reason = kNoReason;  ///< of its set-up
    Bytes moved = 0;            ///< of the packets issued
    /// Of a memory of several controllers, which answer in no order among each other: it completes with the last of its
    /// packets in time, after those before it that are `in_order`, too (64.5).
    bool in_order = false;
    std::int64_t under_way = 0;
    bool all_issued = false;
    Picoseconds through{};
    Reason through_reason = kNoReason;

    [[nodiscard]] bool is_through() const { return all_issued && under_way == 0; }
  };
  /// Of a packet that is on its way.
  [[nodiscard]] static InFlight& flight_of(const MemoryAccess& access) {
    return *static_cast<InFlight*>(access.transfer);
  }
  [[nodiscard]] const DmaEngineSpec& spec() const { return spec_; }
  [[nodiscard]] Ledger* ledger() const { return ledger_; }
  Reason tell(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
    return ledger_ == nullptr ? kNoReason : ledger_->add(cause, from, to, before);
  }

  [[nodiscard]] Picoseconds now() const { return calendar_.now(); }
  [[nodiscard]] Calendar& calendar() const { return calendar_; }

 private:
  Process run();
  [[nodiscard]] MemoryWay& way_of(const Transfer& transfer);
  /// A transfer is complete at `at`: a message when it has left the TCM.
  void finish(InFlight& flight, Picoseconds at, Reason reason);
  /// Those of a memory of several controllers whose turn it is.
  void finish_in_order();
  /// The engine's record channel of a stage, opened at its first use.
  OpChannel& channel(const Stage& stage);

  Calendar& calendar_;
  OpLog& log_;
  MemoryRoutes* routes_;
  Ledger* ledger_;
  const DmaEngineSpec spec_;
  MergingQueue<Transfer> queue_;
  Tokens credits_;
  std::deque<InFlight> in_flight_;
  Picoseconds in_order_until_{};  ///< completion of the last that completes in order
  Reason in_order_reason_ = kNoReason;
  std::vector<OpChannel*> channels_;
  Process process_;
};

class DmaReader : public DmaEngine {
 public:
  /// `tcm_write` is the TCM port that the data end in.
  DmaReader(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec, TcmLink& tcm_write);

 private:
  Picoseconds issue(const MemoryAccess& access, const Transfer& transfer) override;
  void read_arrived(const MemoryAccess& access, Flight flight) override;
  void written(const MemoryAccess& access, Picoseconds at) override;
  /// Of a packet that arrived, for the TCM's port.
  struct PortWait {
    Picoseconds own;
    Picoseconds contention;
  };
  /// Divides the time since the delivery before (33.4).
  Reason delivered(const MemoryAccess& access, const PortWait& port, Picoseconds at);
  /// One for another launch (33.10).
  Reason delivered_beside(Picoseconds from, Picoseconds at);

  TcmLink& tcm_write_;
  Picoseconds delivered_at_{};
  Reason delivery_ = kNoReason;
};

class DmaWriter : public DmaEngine {
 public:
  /// `tcm_read` is the TCM port that the data come from; one of `buffers` is released when the last byte of an output
  /// tile has left the TCM.
  DmaWriter(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec, TcmLink& tcm_read,
            Tokens& buffers);

 private:
  Picoseconds issue(const MemoryAccess& access, const Transfer& transfer) override;
  void read_arrived(const MemoryAccess& access, Flight flight) override;
  void written(const MemoryAccess& access, Picoseconds at) override;

  /// What leaves one way, in order: (submission or what left before, at] is `drain`, what it waited of that for packets
  /// of other PEs `contention`.
  struct Leaving {
    Picoseconds at;
    Reason reason = kNoReason;
  };
  Reason leave(Leaving& before, const Transfer& transfer, Picoseconds at, Picoseconds contention = {});

  TcmLink& tcm_read_;
  Tokens& buffers_;
  Leaving left_;     ///< the TCM
  Leaving written_;  ///< and is acknowledged
};

}  // namespace kernbench
