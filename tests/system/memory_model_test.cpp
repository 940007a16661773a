// A whole PE, and a whole machine, on memories that others simulate.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <systemc>
#include <tlm>

#include "sim/hw/memory/pseudo_channels.hpp"
#include "sim/hw/memory/tlm_memory.hpp"
#include "sim/plan/probe/probe_set.hpp"
#include "sim/system/probe/run_probe.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench {
namespace {

sc_core::sc_time in_systemc(Picoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.value));
}

/// The pseudo-channels of ADR-0004 behind a TLM-2.0 socket, as long as there is room for writes: `waits` of a read's
/// time passes in b_transport, the rest is annotated.
class ForeignChannels : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ForeignChannels, 128> socket;

  ForeignChannels(const sc_core::sc_module_name& name, const HbmSpec& spec, bool waits)
      : sc_module(name), socket("socket"), spec_(spec), channels_(spec), waits_(waits) {
    socket.register_b_transport(this, &ForeignChannels::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    const Picoseconds now{static_cast<std::int64_t>((sc_core::sc_time_stamp() + delay).value())};
    const Packet packet{static_cast<std::int64_t>(transaction.get_address()) / spec_.burst,
                        static_cast<Bytes>(transaction.get_data_length()) / spec_.burst};
    if (transaction.is_write()) {
      if (channels_.room_at(packet, now) > now) return;  // an error response
      channels_.write(packet, now);
    } else {
      const sc_core::sc_time done = in_systemc(channels_.read(packet, now) + spec_.read_latency - now);
      if (waits_) {
        wait(done);
      } else {
        delay += done;
      }
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  HbmSpec spec_;
  PseudoChannels channels_;
  bool waits_;
};

template <bool kWaits>
class ForeignPartition : public TlmMemory {
 public:
  ForeignPartition(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec)
      : TlmMemory(name, calendar, spec, TlmCoding::kLooselyTimed, TlmGrain::kPacket), memory_("memory", spec, kWaits) {
    connect(memory_.socket);
  }

 private:
  ForeignChannels memory_;
};

const RegisterMemoryModel kAnnotating({"test_annotating", "annotates", make_partition<ForeignPartition<false>>});
const RegisterMemoryModel kWaiting({"test_waiting", "waits", make_partition<ForeignPartition<true>>});

constexpr std::array kForeign{"test_annotating", "test_waiting"};

std::string model(const std::string& name) { return "die.hbm.model=" + name; }

/// Records, those of an engine after those of another, and totals; but for the wake-ups, some of which are the
/// memory's, and the ledger, which knows the channels of our own.
std::string said_of(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant) {
  Observed run = simulate_gemm(machine, problem, variant);
  run.result.engine.wakeups = 0;
  run.result.ledger = {};
  std::ranges::stable_sort(run.records, {}, &Logged::engine);
  return to_text(run.result, run.records);
}

/// On the controller of ADR-0004, which tests/machine_calculator holds to its clauses.
MachineSpec with_own_memory(MachineSpec machine) {
  machine.die.hbm.model = milestone().die.hbm.model;
  return machine;
}

std::string ends_of(const MachineSpec& machine, const Probe& probe) {
  return forked([&] {
    std::string text;
    for (const Picoseconds end : run_probe(machine, probe.transfers).ends) text += std::to_string(end.value) + " ";
    return text;
  });
}

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.17 on foreign memories that take as long as the HBM's channels GEMMs take as long") {
    for (const char* foreign : kForeign) {
      const MachineSpec machine = milestone({model(foreign)});
      for (const GemmProblem& problem :
           {GemmProblem{32, 64, 32}, {16, 64, 32}, {32, 64, 16}, {128, 128, 128}, {32, 3072, 32}}) {
        for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
          INFO(foreign << ' ' << problem.m << 'x' << problem.k << 'x' << problem.n << ' ' << variant);
          CHECK(said_of(machine, problem, variant) == said_of(milestone(), problem, variant));
        }
      }
    }
  }

  TEST_CASE("29.17 a memory that is a picosecond slower shows in the GEMM") {
    const GemmProblem problem{.m = 32, .k = 64, .n = 32};
    MachineSpec machine = milestone({model("test_annotating")});
    machine.die.hbm.read_latency += Picoseconds{1};
    const auto end = [&](const MachineSpec& of) { return totals_of_gemm(of, problem, "ref_ref").pe.end; };
    CHECK(end(machine) == end(milestone()) + Picoseconds{1});
  }

  TEST_CASE("29.17 random machines on foreign memories take as long as on their own") {
    CHECK(rc::check([] {
      Case any = any_case(2);
      any.set("die.hbm.write_queue", 65'536);  // so that there is room for every write
      any.set("die.hbm.model", *rc::gen::elementOf(kForeign));
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      RC_ASSERT(said_of(machine, any.problem, any.variant) ==
                said_of(with_own_memory(machine), any.problem, any.variant));
    }));
  }

  TEST_CASE("29.3 on a whole machine, too, partitions are what the machine names") {
    const MachineSpec own = milestone();
    for (const Probe& probe : probe_set(plan_network(own), own, {4096}).probes) {
      if (probe.contends()) continue;
      CAPTURE(probe.name);
      const std::string time = ends_of(own, probe);
      for (const char* foreign : kForeign) CHECK(ends_of(milestone({model(foreign)}), probe) == time);
      MachineSpec slower = milestone({model("test_waiting")});
      slower.die.hbm.read_latency += Picoseconds{1};
      const bool reads_hbm = probe.transfers.front().direction == ProbeDirection::kRead &&
                             plan_network(own).node(probe.transfers.front().memory).kind == NodeKind::kHbm;
      CHECK((ends_of(slower, probe) != time) == reads_hbm);
    }
  }

  TEST_CASE("29.3 a model that knows its channels says how long they worked, another does not; both count bursts") {
    const auto counts = [](const MachineSpec& machine) {
      return forked([&] {
        const RunResult result = run_gemm(machine, {32, 64, 32}, "ref_ref");
        return std::to_string(result.engine.bursts) + (result.hbm_busy_ns ? " known" : " unknown");
      });
    };
    CHECK(counts(milestone()) == "40 known");
    CHECK(counts(milestone({model("tlm_simple")})) == "40 unknown");
  }

  TEST_CASE("29.15 a GEMM on a foreign memory takes the same again, records and all") {
    const MachineSpec machine = milestone({model("tlm_simple")});
    const auto records = [&] {
      return forked([&] {
        Recorder recorder;
        RunSettings settings;
        settings.sink = &recorder;
        const RunResult result = run_gemm(machine, {64, 128, 64}, "load_ref", settings);
        return to_text(result, recorder.records());
      });
    };
    CHECK(records() == records());
  }

// A throw beside SystemC's threads, which have stacks of their own, leaves AddressSanitizer with wrong marks on this
// one: it says so itself ("False positive error reports may follow").
#ifndef KERNBENCH_SANITIZED
  TEST_CASE("29.11 a GEMM ends with what the memory answered") {
    const MachineSpec machine = milestone(
        {model("test_annotating"), "die.hbm.write_batch=2", "die.hbm.write_queue=2", "die.hbm.bandwidth=1 GB/s"});
    const std::string failure = failure_of([&] {
      static_cast<void>(simulate_gemm(machine, {64, 32, 64}, "load_load"));
    });
    CHECK(failure.starts_with("memory hbm0 at "));
    CHECK(failure.find("the write of 256 B at address ") != std::string::npos);
    CHECK(failure.ends_with("was answered with TLM_INCOMPLETE_RESPONSE"));
  }
#endif
}

}  // namespace
}  // namespace kernbench
