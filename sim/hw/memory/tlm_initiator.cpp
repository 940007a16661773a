// The side of the adapter that SystemC's kernel runs: calls of the foreign memory, and its calls back.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <exception>
#include <systemc>

#include "sim/base/check.hpp"
#include "sim/base/checked.hpp"
#include "sim/hw/memory/tlm_memory.hpp"

namespace kernbench {

namespace {

/// A memory that answers nothing for so long does not answer any more.
sc_core::sc_time patience() { return {100, sc_core::SC_MS}; }

/// SystemC's present, and `delay` on; at most kForever, which the calendar refuses to reach.
Picoseconds time_after(const sc_core::sc_time& delay) {
  const Int128 at = static_cast<Int128>(sc_core::sc_time_stamp().value()) + delay.value();
  return at < kForever.value ? Picoseconds{static_cast<std::int64_t>(at)} : kForever;
}

std::string describe(const TlmTransaction& transaction) {
  return std::string("the ") + (transaction.is_read() ? "read" : "write") + " of " +
         std::to_string(transaction.get_data_length()) + " B at address " + std::to_string(transaction.get_address());
}

}  // namespace

void TlmMemory::start_of_simulation() {
  KB_CHECK(port_ != nullptr, std::string(name()) + ": no memory is connected");
  target_ = dynamic_cast<tlm::tlm_fw_transport_if<>*>(port_->get_interface());
}

TlmTransaction& TlmMemory::next_to_send() {
  TlmTransaction& transaction = *to_send_.front();
  to_send_.pop_front();
  transaction.progress = TlmProgress::kRequested;
  return transaction;
}

void TlmMemory::send() {
  if (!listening_) {
    listening_ = true;
    heard_ = answers_;
    silence_.notify(patience());
  }
  if (coding_ == TlmCoding::kApproximatelyTimed) {
    request_in_phases();
  } else if (!to_send_.empty()) {
    call_worker();
  }
}

/// One that is called and has not begun will see whatever is to be sent.
void TlmMemory::call_worker() {
  if (worker_called_) return;
  worker_called_ = true;
  if (idle_workers_.empty()) {
    sc_core::sc_spawn([this] { work(); }, sc_core::sc_gen_unique_name("worker"));
    return;
  }
  idle_workers_.back()->notify();
  idle_workers_.pop_back();
}

void TlmMemory::work() {
  sc_core::sc_event& call = worker_events_.emplace_back();
  for (;;) {
    worker_called_ = false;
    while (!to_send_.empty()) {
      TlmTransaction& transaction = next_to_send();
      if (!to_send_.empty()) call_worker();  // for the rest, should the memory make this one wait
      request_blocking(transaction);
    }
    idle_workers_.push_back(&call);
    sc_core::wait(call);
  }
}

/// What the memory throws ends the run where our processes' exceptions do.
template <class Call>
void TlmMemory::guarded(const TlmTransaction& transaction, Call call) {
  try {
    call();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // SystemC ends the thread
  } catch (const std::exception& error) {
    fail(describe(transaction) + " failed: " + error.what());
  }
}

void TlmMemory::request_blocking(TlmTransaction& transaction) {
  guarded(transaction, [&] {
    sc_core::sc_time delay;
    target_->b_transport(transaction, delay);
    complete(transaction, delay);
  });
}

void TlmMemory::request_in_phases() {
  while (!to_send_.empty() && requesting_ == nullptr) {
    if (sc_core::sc_time_stamp() < may_request_) {
      something_to_send_.notify(may_request_ - sc_core::sc_time_stamp());
      return;
    }
    TlmTransaction& transaction = next_to_send();
    requesting_ = &transaction;
    guarded(transaction, [&] {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      const tlm::tlm_sync_enum status = target_->nb_transport_fw(transaction, phase, delay);
      if (status == tlm::TLM_UPDATED) reach(transaction, phase, delay);
      if (status == tlm::TLM_COMPLETED) complete(transaction, delay);
    });
  }
}

tlm::tlm_sync_enum TlmMemory::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  auto* transaction = dynamic_cast<TlmTransaction*>(&payload);
  if (transaction == nullptr || transaction->sender() != this) {
    fail("it answers a transaction that it was not sent");
  } else {
    reach(*transaction, phase, delay);
    if (requesting_ == nullptr && !to_send_.empty()) something_to_send_.notify(sc_core::SC_ZERO_TIME);
  }
  return tlm::TLM_ACCEPTED;
}

void TlmMemory::reach(TlmTransaction& transaction, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ && transaction.progress == TlmProgress::kRequested) {
    end_request(transaction, delay);
  } else if (phase == tlm::BEGIN_RESP &&
             (transaction.progress == TlmProgress::kRequested || transaction.progress == TlmProgress::kTaken)) {
    if (requesting_ == &transaction) requesting_ = nullptr;  // it ends the request, too
    if (comes_too_early(transaction, delay)) return;
    transaction.progress = TlmProgress::kResponding;
    responses_.notify(transaction, delay);
  } else if (phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP) {
    fail(describe(transaction) + ": it says " + phase.get_name() + ", which the base protocol has no place for then");
  }  // phases that are not of the base protocol may be ignored
}

void TlmMemory::end_request(TlmTransaction& transaction, const sc_core::sc_time& delay) {
  transaction.progress = TlmProgress::kTaken;
  transaction.taken = true;
  transaction.taken_at = sc_core::sc_time_stamp() + delay;
  if (requesting_ == &transaction) {
    requesting_ = nullptr;
    may_request_ = transaction.taken_at;
  }
  if (transaction.is_write()) said_.push({&transaction, false, {}}, time_after(delay), transaction.number);
}

bool TlmMemory::comes_too_early(const TlmTransaction& transaction, const sc_core::sc_time& delay) {
  if (sc_core::sc_time_stamp() + delay >= transaction.taken_at) return false;
  fail(describe(transaction) + " is answered before its request has ended");
  return true;
}

void TlmMemory::respond() {
  while (tlm::tlm_generic_payload* payload = responses_.get_next_transaction()) {
    auto& transaction = dynamic_cast<TlmTransaction&>(*payload);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    guarded(transaction, [&] { target_->nb_transport_fw(transaction, phase, delay); });
    complete(transaction, sc_core::SC_ZERO_TIME);
  }
}

void TlmMemory::complete(TlmTransaction& transaction, const sc_core::sc_time& delay) {
  if (transaction.progress == TlmProgress::kDone) {
    fail(describe(transaction) + " is completed twice");
    return;
  }
  if (comes_too_early(transaction, delay)) return;
  if (!transaction.is_response_ok()) {
    said_.push({nullptr, false, describe(transaction) + " was answered with " + transaction.get_response_string()},
               time_after(delay), transaction.number);
    return;
  }
  if (requesting_ == &transaction) requesting_ = nullptr;
  if (transaction.is_write() && !transaction.taken) {
    said_.push({&transaction, false, {}}, time_after(delay), transaction.number);
  }
  transaction.progress = TlmProgress::kDone;
  said_.push({&transaction, true, {}}, time_after(delay), transaction.number);
}

void TlmMemory::look_for_silence() {
  listening_ = !reads_.empty() || !writes_.empty();
  if (!listening_) return;
  if (heard_ == answers_) fail("it has answered nothing for 100 ms; " + waiting());
  heard_ = answers_;
  silence_.notify(patience());
}

void TlmMemory::fail(const std::string& failure) {
  said_.push({nullptr, false, failure}, time_after(sc_core::SC_ZERO_TIME));
}

}  // namespace kernbench
