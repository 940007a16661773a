// Memories as others write them for TLM-2.0, which know nothing of kernbench, and what happens around an adapter to
// one.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/hw/memory/direct_route.hpp"
#include "sim/hw/memory/tlm_memory.hpp"
#include "tests/support/forked.hpp"

namespace kernbench::foreign {

inline sc_core::sc_time ps(std::int64_t value) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(value));
}

/// What a memory did, a line each: "TIME read ADDRESS BYTES".
struct Calls {
  std::string text;
  void note(const tlm::tlm_generic_payload& transaction) {
    text += std::to_string(sc_core::sc_time_stamp().value()) + (transaction.is_read() ? " read " : " write ") +
            std::to_string(transaction.get_address()) + " " + std::to_string(transaction.get_data_length()) + "\n";
  }
};

/// How long a transaction takes, by its address.
using Latency = std::function<std::int64_t(std::uint64_t)>;

/// b_transport: annotates the latency, waits for it, or a part of each.
class Loose : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Loose> socket;

  Loose(const sc_core::sc_module_name& name, Calls& calls, Latency latency, std::int64_t waits)
      : sc_module(name), socket("socket"), calls_(calls), latency_(std::move(latency)), waits_(waits) {
    socket.register_b_transport(this, &Loose::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    calls_.note(transaction);
    const std::int64_t latency = latency_(transaction.get_address());
    const std::int64_t waited = std::min(latency, waits_);
    if (waited > 0) wait(ps(waited));
    delay += ps(latency - waited);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  Calls& calls_;
  Latency latency_;
  std::int64_t waits_;
};

enum class Phases { kFour, kTwo, kUpdatedRequest, kUpdatedResponse, kCompleted };

/// nb_transport_fw. kFour: END_REQ `accept` after BEGIN_REQ, BEGIN_RESP `latency` later, both as calls of their own and
/// the next BEGIN_RESP after END_RESP; kTwo: the same without END_REQ; kUpdatedRequest: END_REQ is what it returns,
/// with a delay; kUpdatedResponse: BEGIN_RESP is; kCompleted: it returns that all is done, with a delay.
class Phased : public sc_core::sc_module {
  SC_HAS_PROCESS(Phased);

 public:
  tlm_utils::simple_target_socket<Phased, 64> socket;

  Phased(const sc_core::sc_module_name& name, Calls& calls, Latency latency, Phases phases, std::int64_t accept)
      : sc_module(name),
        socket("socket"),
        calls_(calls),
        latency_(std::move(latency)),
        phases_(phases),
        accept_(accept),
        requests_("requests"),
        ready_("ready") {
    socket.register_nb_transport_fw(this, &Phased::nb_transport_fw);
    SC_METHOD(end_requests);
    sensitive << requests_.get_event();
    dont_initialize();
    SC_METHOD(collect);
    sensitive << ready_.get_event();
    dont_initialize();
    SC_METHOD(respond);
    sensitive << may_respond_;
    dont_initialize();
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      transaction.release();
      responding_ = false;
      may_respond_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    calls_.note(transaction);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    const sc_core::sc_time latency = ps(latency_(transaction.get_address()));
    if (phases_ == Phases::kCompleted) {
      delay += latency;
      return tlm::TLM_COMPLETED;
    }
    transaction.acquire();
    if (phases_ == Phases::kUpdatedResponse) {
      phase = tlm::BEGIN_RESP;
      delay += latency;
      return tlm::TLM_UPDATED;
    }
    if (phases_ == Phases::kFour) {
      requests_.notify(transaction, delay + ps(accept_));
      return tlm::TLM_ACCEPTED;
    }
    if (phases_ == Phases::kTwo) {
      ready_.notify(transaction, delay + latency);
      return tlm::TLM_ACCEPTED;
    }
    ready_.notify(transaction, delay + ps(accept_) + latency);
    phase = tlm::END_REQ;
    delay += ps(accept_);
    return tlm::TLM_UPDATED;
  }

  void end_requests() {
    while (tlm::tlm_generic_payload* transaction = requests_.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay;
      socket->nb_transport_bw(*transaction, phase, delay);
      ready_.notify(*transaction, ps(latency_(transaction->get_address())));
    }
  }

  void collect() {
    while (tlm::tlm_generic_payload* transaction = ready_.get_next_transaction()) answers_.push_back(transaction);
    may_respond_.notify(sc_core::SC_ZERO_TIME);
  }

  void respond() {
    if (responding_ || answers_.empty()) return;
    tlm::tlm_generic_payload& transaction = *answers_.front();
    answers_.erase(answers_.begin());
    responding_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_bw(transaction, phase, delay);
  }

  Calls& calls_;
  Latency latency_;
  Phases phases_;
  std::int64_t accept_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ready_;
  std::vector<tlm::tlm_generic_payload*> answers_;
  bool responding_ = false;
  sc_core::sc_event may_respond_;
};

/// The adapter to a memory of any of these kinds.
template <class Memory>
class Partition : public TlmMemory {
 public:
  template <class... Arguments>
  Partition(const sc_core::sc_module_name& name, Calendar& calendar, TlmCoding coding, TlmGrain grain,
            Arguments&&... arguments)
      : TlmMemory(name, calendar, spec(), coding, grain), memory_("memory", std::forward<Arguments>(arguments)...) {
    connect(memory_.socket);
  }

  static HbmSpec spec() { return {{256'000'000'000}, 8, 256, from_ns(32), {}, 1 << 30}; }

 private:
  Memory memory_;
};

/// A packet that reaches the memory at a picosecond.
struct Ask {
  bool reads = true;
  Packet packet;
  std::int64_t at = 0;
  std::int32_t from = 0;
};

/// Writes down a line an answer: "TIME read FIRST_BURST".
class Client : public MemoryClient {
 public:
  void read_arrived(const MemoryAccess& access, Flight flight) override { note("read", access, flight.tail); }
  void written(const MemoryAccess& access, Picoseconds at) override { note("written", access, at); }
  std::string text;

 private:
  void note(const char* what, const MemoryAccess& access, Picoseconds at) {
    text += std::to_string(at.value) + " " + what + " " + std::to_string(access.packet.first_burst) + "\n";
  }
};

/// A route of no length that also writes down when the data of a write leave the port.
class Route : public MemoryRoute {
 public:
  explicit Route(Client& client) : client_(client) {}
  [[nodiscard]] Picoseconds latency() const override { return {}; }
  void read(const MemoryAccess& /*access*/, Picoseconds /*at*/) override {}
  void write(const MemoryAccess& /*access*/, Flight /*out*/) override {}
  void taken(const MemoryAccess& access, Picoseconds at) override {
    client_.text += std::to_string(at.value) + " taken " + std::to_string(access.packet.first_burst) + "\n";
  }
  void carry_back(const MemoryAccess& access, Picoseconds ready) override {
    access.client->read_arrived(access, {ready, ready});
  }

 private:
  Client& client_;
};

/// Asks in the order of `asks`, all announced at 0, and runs. `make(calendar, calls)` makes the adapter; returns the
/// calls that the memory saw, "--", and our side's answers.
template <class Make>
std::string dialogue(Make make, const std::vector<Ask>& asks) {
  return forked([&] {
    Calendar calendar("calendar");
    Calls calls;
    const auto memory = make(calendar, calls);
    Client client;
    Route route(client);
    for (const Ask& ask : asks) {
      const MemoryAccess access{ask.packet, ask.packet.bursts * 256, true, &client, &route, nullptr, ask.from};
      if (ask.reads) {
        memory->read(access, {ask.at});
      } else {
        memory->write(access, {{ask.at}, {ask.at}});
      }
    }
    calendar.run();
    return calls.text + "--\n" + client.text;
  });
}

}  // namespace kernbench::foreign
