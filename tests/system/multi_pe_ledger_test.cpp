// The ledgers of a run over several PEs: each closes over its own window, and names what another PE holds up.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/multi_pe_choice.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

struct PeLedger {
  Picoseconds end;
  Picoseconds array;
  Ledger::Closed ledger;
};

std::string text_of(const std::vector<PeReport>& pes) {
  std::ostringstream out;
  out << pes.size() << ' ';
  for (const PeReport& pe : pes) {
    out << pe.end.value << ' ' << pe.array.value << ' ';
    for (const Cause cause : kCauses.values()) {
      out << pe.ledger.time.of(cause).value << ' ' << pe.ledger.path.of(cause).value << ' ';
    }
  }
  return out.str();
}

/// Throws std::runtime_error with the message of what the run threw.
std::vector<PeLedger> ledgers_of(const std::function<std::vector<PeReport>()>& run) {
  std::istringstream in(forked([&] { return text_of(run()); }));
  std::size_t pes = 0;
  in >> pes;
  std::vector<PeLedger> ledgers(pes);
  for (PeLedger& pe : ledgers) {
    in >> pe.end.value >> pe.array.value;
    for (const Cause cause : kCauses.values()) {
      Picoseconds time;
      Picoseconds path;
      in >> time.value >> path.value;
      pe.ledger.time.add(cause, time);
      pe.ledger.path.add(cause, path);
    }
  }
  return ledgers;
}

/// A program on the first PEs of a die.
std::vector<PeLedger> ledgers_of(const MachineSpec& machine, std::int32_t ranks, const KernelProgram& program) {
  return ledgers_of([&] {
    System system(machine, {.ledger = true});
    std::vector<std::int32_t> pes;
    for (std::int32_t rank = 0; rank < ranks; ++rank) pes.push_back(rank);
    KernelLaunch launch("the kernel", program, pes);
    run_launches(system, {&launch});
    return report_of(system, launch).pes;
  });
}

std::string text_of(const PeLedger& pe) {
  std::string text = "end " + std::to_string(pe.end.value) + '\n';
  for (const Cause cause : kCauses.values()) {
    text += std::string(kCauses[cause]) + ' ' + std::to_string(pe.ledger.time.of(cause).value) + ", critical path " +
            std::to_string(pe.ledger.path.of(cause).value) + '\n';
  }
  return text;
}

bool closes(const PeLedger& pe) {
  const LedgerTotals& time = pe.ledger.time;
  return time.sum() == pe.end && pe.ledger.path.sum() == pe.end && time.of(Cause::kUntold) == Picoseconds{} &&
         time.of(Cause::kMac) + time.of(Cause::kArrayFill) == pe.array;
}

/// Streams A and B of a GEMM out of the partition of rank 0, and writes C into its own.
Process stream_from_first(KernelPe pe) {
  const TileShape tile = pe.machine().pe.mac.tile;
  const Bytes burst = pe.machine().die.hbm.burst;
  const MatrixLayout a = pe.of(0, pe.hbm({Layout::kBlocked, 128, 512, tile.m, tile.k, 0, burst}));
  const MatrixLayout b = pe.of(0, pe.hbm({Layout::kBlocked, 512, 128, tile.k, tile.n, 0, burst}));
  const MatrixLayout c = pe.hbm(128, 128);
  const Operand left = co_await pe.ref(a);
  const Operand right = co_await pe.ref(b);
  const Pending done = co_await pe.composite(left, right, c);
  co_await pe.wait(done);
}

}  // namespace

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.9 PEs that stream out of one partition wait for each other, and do not when they are alone") {
    const MachineSpec machine = one_die();
    const std::vector<PeLedger> alone = ledgers_of(machine, 1, stream_from_first);
    const std::vector<PeLedger> four = ledgers_of(machine, 4, stream_from_first);
    CHECK(alone.at(0).ledger.time.of(Cause::kContention) == Picoseconds{});
    for (const PeLedger& pe : four) {
      INFO(text_of(pe));
      CHECK(closes(pe));
      CHECK(kCauses[pe.ledger.limit()] == "contention");
      // The others' share of the memory. Alone, some of its time hides behind the array's.
      const Picoseconds longer = pe.end - alone.at(0).end;
      const Picoseconds contention = pe.ledger.time.of(Cause::kContention);
      CHECK(5 * contention > 4 * longer);
      CHECK(10 * contention < 11 * longer);
    }
  }

  TEST_CASE(
      "33.3 33.10 a PE that waits for a message is limited by it, and one that is late keeps others at a barrier") {
    const Picoseconds late = from_ns(5000);
    const auto work = [late](KernelPe pe) -> Process {
      const MatrixLayout matrix = pe.tcm(32, 32);
      if (pe.rank() == 0) {
        while (true) {
          const Picoseconds now = co_await pe.wait(Pending::nothing());
          if (now >= late) break;
        }
        const Pending sent = co_await pe.send(matrix, 1);
        co_await pe.wait(sent);
      }
      if (pe.rank() == 1) co_await pe.recv(matrix, 0);
      co_await pe.barrier();
    };
    const std::vector<PeLedger> pes = ledgers_of(one_die(), 4, work);
    for (const PeLedger& pe : pes) {
      INFO(text_of(pe));
      CHECK(closes(pe));
    }
    CHECK(kCauses[pes.at(0).ledger.limit()] == "control");
    CHECK(kCauses[pes.at(1).ledger.limit()] == "receive");
    CHECK(pes.at(1).ledger.time.of(Cause::kReceive) > late - from_ns(50));
    for (const std::size_t waits : {2U, 3U}) {
      CHECK(kCauses[pes.at(waits).ledger.limit()] == "barrier");
      CHECK(pes.at(waits).ledger.time.of(Cause::kBarrier) > late - from_ns(50));
    }
  }

  TEST_CASE("33.1 33.8 33.10 every PE's ledger closes and tells everything, whatever machine, kernel and PEs") {
    CHECK(rc::check("kernels over PEs", [] {
      Case any = any_case(3);
      const auto kernel = *rc::gen::element<std::string>("owner_computes", "ring_shift", "split_k");
      const auto pes = *rc::gen::inRange<std::int32_t>(1, 5);
      const MachineSpec one = any.machine();
      MachineSpec machine = one_die();
      machine.pe = one.pe;
      machine.pe.tcm.capacity = Bytes{1} << 30;
      machine.simulation = one.simulation;
      machine.die.hbm = one.die.hbm;
      machine.die.router.link = one.die.router.link;
      MultiPeGemmRequest request{.problem = {.m = any.problem.m, .k = any.problem.k, .n = any.problem.n},
                                 .kernel = kernel};
      for (std::int32_t pe = 0; pe < pes; ++pe) request.pes.push_back(pe);
      RC_LOG() << any << '\n' << kernel << " over " << pes << '\n';
      const std::vector<PeLedger> ledgers = ledgers_of([&] {
        const NetworkPlan plan = plan_network(machine);
        request.placement = choose_placement(machine, plan, request, "").placement;
        return run_multi_pe_gemm(machine, request).pes;
      });
      for (const PeLedger& pe : ledgers) {
        RC_LOG() << text_of(pe);
        RC_ASSERT(closes(pe));
        if (pes == 1) RC_ASSERT(pe.ledger.time.of(Cause::kContention) == Picoseconds{});
      }
    }));
  }

  TEST_CASE("33.10 over one PE it is the ledger of a run on one, and a launch beside is contention") {
    const MachineSpec machine = one_die();
    const GemmProblem problem{.m = 128, .k = 512, .n = 128};
    const RunResult one = simulate_gemm(machine, problem, "ref_ref").result;
    const auto gemm = [&problem, &machine](KernelPe pe) -> Process {
      return find_gemm_kernel("ref_ref").run(pe, {problem, place_gemm(problem, machine)});
    };
    const PeLedger same = ledgers_of(machine, 1, gemm).at(0);
    CHECK(same.end == one.pe.length());
    for (const Cause cause : kCauses.values()) {
      CAPTURE(kCauses[cause]);
      CHECK(same.ledger.time.of(cause) == one.ledger.time.of(cause));
      CHECK(same.ledger.path.of(cause) == one.ledger.path.of(cause));
    }
    const PeLedger beside = ledgers_of([&] {
                              System system(machine, {.ledger = true});
                              KernelLaunch first("the GEMM", gemm, {0});
                              KernelLaunch second("the exchange",
                                                  [](KernelPe pe) -> Process {
                                                    const MatrixLayout mine = pe.hbm(256, 1024);
                                                    const MatrixLayout other = pe.hbm(256, 1024);
                                                    const Pending sent = co_await pe.send(mine, 1 - pe.rank());
                                                    co_await pe.recv(other, 1 - pe.rank());
                                                    co_await pe.wait(sent);
                                                  },
                                                  {0, 1});
                              run_launches(system, {&first, &second});
                              return report_of(system, first).pes;
                            }).at(0);
    INFO(text_of(beside));
    CHECK(closes(beside));
    CHECK(beside.end > same.end);
    CHECK(beside.ledger.time.of(Cause::kContention) > Picoseconds{});
  }
}
