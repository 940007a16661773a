// An HBM partition that a memory written by others simulates: an initiator of TLM-2.0 between our port and its target
// socket (adr/0029, docs/memory-models.md).
#pragma once

#include <tlm_utils/peq_with_get.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/engine/alarm.hpp"
#include "sim/engine/merging_queue.hpp"
#include "sim/hw/memory/arrivals.hpp"
#include "sim/hw/memory/memory_model.hpp"
#include "sim/hw/memory/tlm_transaction.hpp"

namespace kernbench {

/// How a memory is called: its b_transport, or its nb_transport_fw.
enum class TlmCoding : std::uint8_t { kLooselyTimed, kApproximatelyTimed };

/// What one transaction moves.
enum class TlmGrain : std::uint8_t { kBurst, kPacket };

/// A model derives from this class, has the foreign memory as a member and connects its socket:
///
///     class MyPartition : public TlmMemory {
///      public:
///       MyPartition(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec)
///           : TlmMemory(name, calendar, spec, TlmCoding::kLooselyTimed), memory_("memory") {
///         connect(memory_.socket);
///       }
///      private:
///       TheirMemory memory_;
///     };
///
/// ADR-0029, clauses 29.5 to 29.14.
class TlmMemory : public sc_core::sc_module,
                  public HbmPartition,
                  protected tlm::tlm_bw_transport_if<>,
                  private Waitable {
  SC_HAS_PROCESS(TlmMemory);

 public:
  void read(const MemoryAccess& access, Picoseconds arrival) override;
  void write(const MemoryAccess& access, Flight arrival) override;

  [[nodiscard]] std::int64_t bursts() const override { return bursts_; }
  [[nodiscard]] std::optional<double> busy_ns(Picoseconds /*end*/) const override { return std::nullopt; }

 protected:
  TlmMemory(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec, TlmCoding coding,
            TlmGrain grain = TlmGrain::kBurst);

  /// In the constructor of the derived class, once.
  template <unsigned kBusWidth>
  void connect(tlm::tlm_base_target_socket_b<kBusWidth>& target) {
    auto socket = std::make_shared<tlm::tlm_initiator_socket<kBusWidth>>("socket");
    socket->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    socket->bind(target);
    port_ = &socket->get_base_port();
    socket_ = std::move(socket);
  }

 private:
  /// What the memory says of a transaction, at a time of its own.
  struct Word {
    TlmTransaction* transaction = nullptr;
    bool answers = false;  ///< its response, else only the end of its request
    std::string failure;   ///< of the memory: ends the run
  };

  // On our side, at the calendar's time.
  void take(const MemoryRequest& request);
  void serve();
  void begin(const MemoryRequest& request);
  Process hear();
  static void taken(const TlmTransaction& transaction, Picoseconds at);
  void answered(TlmTransaction& transaction, Picoseconds at);
  [[nodiscard]] std::string waiting() const override;

  // On SystemC's side, at its own.
  void start_of_simulation() override;
  void send();
  void call_worker();
  void work();
  template <class Call>
  void guarded(const TlmTransaction& transaction, Call call);
  void request_blocking(TlmTransaction& transaction);
  void request_in_phases();
  void respond();
  void look_for_silence();
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
  void reach(TlmTransaction& transaction, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void end_request(TlmTransaction& transaction, const sc_core::sc_time& delay);
  void complete(TlmTransaction& transaction, const sc_core::sc_time& delay);
  [[nodiscard]] bool comes_too_early(const TlmTransaction& transaction, const sc_core::sc_time& delay);
  void fail(const std::string& failure);
  [[nodiscard]] TlmTransaction& next_to_send();

  Calendar& calendar_;
  Bytes burst_;
  TlmCoding coding_;
  TlmGrain grain_;
  std::int64_t bursts_ = 0;
  std::int64_t sent_ = 0;
  TlmPool pool_;
  Arrivals arrivals_;
  std::deque<TlmRequest> reads_;  // in the order of their arrival, as are the writes
  std::deque<TlmRequest> writes_;
  std::deque<TlmTransaction*> to_send_;

  std::shared_ptr<void> socket_;  // of the memory's bus width
  sc_core::sc_port_base* port_ = nullptr;
  tlm::tlm_fw_transport_if<>* target_ = nullptr;
  sc_core::sc_event something_to_send_;
  bool listening_ = false;  // for silence
  std::int64_t heard_ = 0;  // answers when it was looked for last
  std::int64_t answers_ = 0;
  sc_core::sc_event silence_;
  // Loosely timed: a call may wait, so each has a thread where those before it have not returned.
  std::deque<sc_core::sc_event> worker_events_;
  std::vector<sc_core::sc_event*> idle_workers_;
  bool worker_called_ = false;
  // Approximately timed.
  TlmTransaction* requesting_ = nullptr;
  sc_core::sc_time may_request_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_;

  MergingQueue<Word> said_;
  Alarm alarm_;
  Process hearing_;
};

}  // namespace kernbench
