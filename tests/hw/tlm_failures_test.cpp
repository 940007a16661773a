// Memories that refuse, break the protocol, fall silent, or never stop: what a run with them ends with.
#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/hw/foreign_memory.hpp"

namespace kernbench::foreign {

namespace {

/// Does with each phase of each transaction what the test says, both as b_transport and as nb_transport_fw.
class Scripted : public sc_core::sc_module {
 public:
  using Transaction = tlm::tlm_generic_payload;
  using Blocking = std::function<void(Transaction&, sc_core::sc_time&)>;
  using Socket = tlm_utils::simple_target_socket<Scripted>;
  using Phased = std::function<tlm::tlm_sync_enum(Socket&, Transaction&, tlm::tlm_phase&, sc_core::sc_time&)>;

  Socket socket;

  Scripted(const sc_core::sc_module_name& name, Blocking blocking) : Scripted(name, std::move(blocking), {}) {}
  Scripted(const sc_core::sc_module_name& name, Phased phased) : Scripted(name, {}, std::move(phased)) {}

 private:
  Scripted(const sc_core::sc_module_name& name, Blocking blocking, Phased phased)
      : sc_module(name), socket("socket"), blocking_(std::move(blocking)), phased_(std::move(phased)) {
    socket.register_b_transport(this, &Scripted::b_transport);
    socket.register_nb_transport_fw(this, &Scripted::nb_transport_fw);
  }

  void b_transport(Transaction& transaction, sc_core::sc_time& delay) { blocking_(transaction, delay); }
  tlm::tlm_sync_enum nb_transport_fw(Transaction& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return phased_(socket, transaction, phase, delay);
  }

  Blocking blocking_;
  Phased phased_;
};

template <class Script>
auto scripted(TlmCoding coding, Script script) {
  return [=](Calendar& calendar, Calls& /*calls*/) {
    return std::make_unique<Partition<Scripted>>("hbm", calendar, coding, TlmGrain::kBurst, script);
  };
}

auto blocking(Scripted::Blocking script) { return scripted(TlmCoding::kLooselyTimed, std::move(script)); }
auto in_phases(Scripted::Phased script) { return scripted(TlmCoding::kApproximatelyTimed, std::move(script)); }

const std::vector<Ask> kReadAndWrite{{true, {0, 1}, 100, 0}, {false, {16, 1}, 5000, 0}};

template <class Make>
std::string failure(Make make, const std::vector<Ask>& asks = kReadAndWrite) {
  try {
    return "no failure: " + dialogue(make, asks);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// A clock that never stops, beside a memory.
class Clocked : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Clocked> socket;

  Clocked(const sc_core::sc_module_name& name, bool answers)
      : sc_module(name), socket("socket"), clock_("clock", 1, sc_core::SC_US), answers_(answers) {
    socket.register_b_transport(this, &Clocked::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& /*delay*/) {
    do wait(clock_.posedge_event());
    while (!answers_);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  sc_core::sc_clock clock_;
  bool answers_;
};

auto clocked(bool answers) {
  return [=](Calendar& calendar, Calls& /*calls*/) {
    return std::make_unique<Partition<Clocked>>("hbm", calendar, TlmCoding::kLooselyTimed, TlmGrain::kBurst, answers);
  };
}

}  // namespace

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.11 an error response ends the run at its time and names memory, command, address and response") {
    const auto refuses_writes = [](Scripted::Transaction& transaction, sc_core::sc_time& delay) {
      delay += ps(23);
      transaction.set_response_status(transaction.is_read() ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    };
    CHECK(failure(blocking(refuses_writes)) ==
          "memory hbm at 5023 ps: the write of 256 B at address 4096 was answered with TLM_ADDRESS_ERROR_RESPONSE");
    const auto refuses_reads = [](Scripted::Socket& /*socket*/, Scripted::Transaction& transaction,
                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
      if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
      phase = tlm::BEGIN_RESP;
      delay += ps(9);
      transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
      return tlm::TLM_UPDATED;
    };
    CHECK(failure(in_phases(refuses_reads)) ==
          "memory hbm at 109 ps: the read of 256 B at address 0 was answered with TLM_COMMAND_ERROR_RESPONSE");
  }

  TEST_CASE("29.11 a memory that leaves the response as it was, or throws, has failed") {
    CHECK(failure(blocking([](Scripted::Transaction&, sc_core::sc_time&) {})) ==
          "memory hbm at 100 ps: the read of 256 B at address 0 was answered with TLM_INCOMPLETE_RESPONSE");
    CHECK(failure(blocking([](Scripted::Transaction&, sc_core::sc_time&) { throw std::runtime_error("no rows"); })) ==
          "memory hbm at 100 ps: the read of 256 B at address 0 failed: no rows");
    CHECK(failure(in_phases([](Scripted::Socket&, Scripted::Transaction&, tlm::tlm_phase&,
                               sc_core::sc_time&) -> tlm::tlm_sync_enum { throw std::runtime_error("no banks"); })) ==
          "memory hbm at 100 ps: the read of 256 B at address 0 failed: no banks");
  }

  TEST_CASE("29.12 what the base protocol has no place for ends the run") {
    const auto says = [](std::vector<tlm::tlm_phase> phases) {
      return in_phases([phases](Scripted::Socket& socket, Scripted::Transaction& transaction, tlm::tlm_phase& phase,
                                sc_core::sc_time& /*delay*/) {
        if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        for (tlm::tlm_phase said : phases) {
          sc_core::sc_time now;
          socket->nb_transport_bw(transaction, said, now);
        }
        return tlm::TLM_ACCEPTED;
      });
    };
    const auto broken = [](const char* phase) {
      return std::string("memory hbm at 100 ps: the read of 256 B at address 0: it says ") + phase +
             ", which the base protocol has no place for then";
    };
    CHECK(failure(says({tlm::END_REQ, tlm::END_REQ})) == broken("END_REQ"));
    CHECK(failure(says({tlm::BEGIN_RESP, tlm::BEGIN_RESP})) == broken("BEGIN_RESP"));
    CHECK(failure(says({tlm::BEGIN_RESP, tlm::END_REQ})) == broken("END_REQ"));
    CHECK(failure(says({tlm::END_RESP})) == broken("END_RESP"));
    CHECK(failure(says({tlm::END_REQ, tlm::BEGIN_RESP}), {kReadAndWrite.front()}) == "no failure: --\n100 read 0\n");
  }

  TEST_CASE("29.12 phases that are not of the base protocol are ignored") {
    const auto extends = in_phases([](Scripted::Socket& socket, Scripted::Transaction& transaction,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay) {
      tlm::tlm_phase own(42);
      sc_core::sc_time now;
      CHECK(socket->nb_transport_bw(transaction, own, now) == tlm::TLM_ACCEPTED);
      transaction.set_response_status(tlm::TLM_OK_RESPONSE);
      delay += ps(phase == tlm::BEGIN_REQ ? 5 : 0);
      return tlm::TLM_COMPLETED;
    });
    CHECK(failure(extends, {kReadAndWrite.front()}) == "no failure: --\n105 read 0\n");
  }

  TEST_CASE("29.12 a transaction that is answered before its request has ended, or that is not ours") {
    const auto early = in_phases([](Scripted::Socket& socket, Scripted::Transaction& transaction, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
      transaction.set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase answer = tlm::BEGIN_RESP;
      tlm::tlm_phase end = tlm::END_REQ;
      sc_core::sc_time before = ps(29);
      delay = ps(30);
      socket->nb_transport_bw(transaction, end, delay);
      socket->nb_transport_bw(transaction, answer, before);
      return phase == tlm::BEGIN_REQ ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    });
    CHECK(failure(early) ==
          "memory hbm at 100 ps: the read of 256 B at address 0 is answered before its request has ended");
    const auto other = in_phases([](Scripted::Socket& socket, Scripted::Transaction& /*transaction*/,
                                    tlm::tlm_phase& /*phase*/, sc_core::sc_time& delay) {
      static Scripted::Transaction own;
      tlm::tlm_phase end = tlm::END_REQ;
      socket->nb_transport_bw(own, end, delay);
      return tlm::TLM_ACCEPTED;
    });
    CHECK(failure(other) == "memory hbm at 100 ps: it answers a transaction that it was not sent");
  }

  TEST_CASE("29.13 a run ends although the memory's clock goes on, and not before the last answer") {
    CHECK(failure(clocked(true)) == "no failure: --\n1000000 read 0\n1000000 taken 16\n1000000 written 16\n");
  }

  TEST_CASE("29.13 a memory that answers nothing for 100 ms ends the run") {
    const auto silent = in_phases([](Scripted::Socket&, Scripted::Transaction&, tlm::tlm_phase&, sc_core::sc_time&) {
      return tlm::TLM_ACCEPTED;
    });
    CHECK(failure(silent) ==
          "memory hbm at 100000000100 ps: it has answered nothing for 100 ms; hbm: no answer to 2 accesses, the first "
          "a read at address 0");
    CHECK(failure(clocked(false)).find("it has answered nothing for 100 ms") != std::string::npos);
  }

  TEST_CASE("29.14 a memory sees zeros, the whole width and no byte enables, and may keep a transaction") {
    std::string seen =
        failure(blocking([](Scripted::Transaction& transaction, sc_core::sc_time& /*delay*/) {
                  bool plain = transaction.get_byte_enable_ptr() == nullptr && transaction.has_mm() &&
                               transaction.get_streaming_width() == 256;
                  for (unsigned i = 0; i < 256; ++i) plain = plain && transaction.get_data_ptr()[i] == 0;
                  transaction.get_data_ptr()[0] = 1;  // not what the next one finds
                  transaction.set_response_status(plain ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
                }),
                {{true, {0, 2}, 100, 0}, {false, {0, 1}, 200, 0}});
    CHECK(seen == "no failure: --\n100 read 0\n200 taken 0\n200 written 0\n");
  }
}

}  // namespace kernbench::foreign
