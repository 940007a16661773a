// Operators as they run: by hand to the picosecond, and against their formulas.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/operators/operator_bound.hpp"
#include "sim/plan/operators/operator_work.hpp"
#include "tests/support/random_operator.hpp"
#include "tests/system/operator_run.hpp"

using namespace kernbench;

namespace {

/// One call of 5 cycles on two matrices of a burst each, one of which is written.
Process one_call(KernelPe pe, Bytes fetched) {
  const MatrixLayout a = pe.tcm(1, 128);
  const MatrixLayout b = pe.tcm(1, 128);
  VectorCall call{.task = {.cycles = 5, .operations = 7, .fetched = fetched, .stored = 256}, .reads = {a}};
  call.writes.push_back(b);
  co_await pe.compute(call);
}

VectorTask all_work(const OperatorPlan& plan, const VectorUnitSpec& unit) {
  VectorTask sum;
  const auto add = [&sum](const VectorTask& task) {
    sum.operations += task.operations;
    sum.fetched += task.fetched + task.stored;
  };
  for (const OperatorShare& share : plan.shares) {
    for (const OperatorPiece& piece : share.pieces) {
      if (piece.statistics) add(statistics_task(plan, piece, unit));
      if (piece.apply) add(apply_task(plan, piece, unit));
    }
  }
  if (!plan.traits().writes_rows) add(mean_task(plan, unit));
  return sum;
}

}  // namespace

TEST_SUITE("ADR-0043") {
  TEST_CASE("43.3 a call takes its control time, the longest of what it does, and the unit's latency") {
    // 2 ns of control, 5 cycles of 1 ns or what is fetched at 512 GB/s, 4 cycles of latency.
    const auto run = [](Bytes fetched) {
      return simulate(milestone(), [=](KernelPe pe) { return one_call(pe, fetched); }).result;
    };
    // The window ends with the unit's work.
    const RunResult cycles = run(256);
    CHECK(cycles.pe.length() == from_ns(2 + 5));
    CHECK(cycles.ledger.time.of(Cause::kEpilogue) == from_ns(5));
    const RunResult fetching = run(4096);
    CHECK(fetching.pe.length() == from_ns(2 + 8));
    CHECK(fetching.ledger.time.of(Cause::kEpilogue) == from_ns(5));
    CHECK(fetching.ledger.time.of(Cause::kFetch) == from_ns(3));
  }

  TEST_CASE("43.3 a call on what is not in TCM, or while somebody else writes it, is refused") {
    const auto refusal = [](const std::function<Process(KernelPe)>& kernel) {
      return failure_of([&] {
        static_cast<void>(forked([&] {
          static_cast<void>(run_kernel(milestone(), kernel, {.verify = true}));
          return std::string();
        }));
      });
    };
    const std::string elsewhere = refusal([](KernelPe pe) -> Process {
      VectorCall call{.reads = {pe.hbm(1, 8)}};
      co_await pe.compute(call);
    });
    CHECK_MESSAGE(elsewhere.find("compute on a matrix that is not in TCM") != std::string::npos, elsewhere);
    const std::string race = refusal([](KernelPe pe) -> Process {
      const MatrixLayout x = pe.hbm(1, 1024);
      pe.fill(x, [](std::int64_t /*row*/, std::int64_t /*column*/) { return 1.0F; });
      const Operand loaded = co_await pe.load(x);
      VectorCall call{.task = {.cycles = 1}, .reads = {loaded.matrix}};
      co_await pe.compute(call);
    });
    CHECK_MESSAGE(race.find("race in") != std::string::npos, race);
  }

  TEST_CASE("43.8 rmsnorm of two rows of 128 on one PE, by hand to the picosecond") {
    // The record's Consequences have every instant.
    CHECK(run_problem(one_die(), {Operator::kRmsNorm, 1, 2, 128}, 1).time == Picoseconds{97'120});
  }

  TEST_CASE("43.9 mse of one row of 128 on one PE, by hand to the picosecond") {
    // x and targets, a burst of channel 0 each, are submitted at 2 and 4 ns: issued at 6 and 10, there at 51.06 and
    // 59.06. Statistics: called for until 61.06, 3 cycles and 4 of latency. The sum: called for until 70.06, set up at
    // 74.06, acknowledged 5.06 later. It is read from channel 0, which wrote it from 77.09 to 85.09 and turns around
    // until 101.09: 8 for the burst, 32 and 3.03 to come back, there at 144.12. The mean: called for until 146.12, 2
    // cycles and 4; its store called for until 154.12, set up at 158.12, acknowledged 5.06 later.
    CHECK(run_problem(one_die(), {Operator::kMse, 1, 1, 128}, 1).time == Picoseconds{163'180});
  }

  TEST_CASE("43.8 pieces overlap: the next one is loaded while one is worked on, buffers go in turn") {
    Recorder recorder;
    const OperatorProblem problem{Operator::kSwish, 1, 16, 8192};
    const std::string log = forked([&] {
      const MachineSpec machine = one_die();
      static_cast<void>(run_operator(machine, plan_operator_on(machine, problem, 1), {0}, {.sink = &recorder}));
      std::string text;
      for (const Logged& logged : recorder.records()) {
        if (logged.stage != "load" && logged.stage != "vector" && logged.stage != "store_out") continue;
        text += logged.stage + " " + std::to_string(logged.op.start.value) + " " + std::to_string(logged.op.end.value) +
                "\n";
      }
      return text;
    });
    std::istringstream in(log);
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> of;
    std::string stage;
    for (std::pair<std::int64_t, std::int64_t> times; in >> stage >> times.first >> times.second;) {
      of[stage].push_back(times);
    }
    REQUIRE(of["load"].size() == 8);
    REQUIRE(of["vector"].size() == 8);
    REQUIRE(of["store_out"].size() == 8);
    for (std::size_t i = 0; i + 2 < 8; ++i) {
      CHECK(of["vector"][i].first >= of["load"][i].second);
      CHECK(of["load"][i + 1].first < of["vector"][i].first);    // before it is worked on
      CHECK(of["load"][i + 2].first >= of["vector"][i].second);  // its buffer is free
      CHECK(of["vector"][i + 2].first >= of["store_out"][i].second);
    }
  }

  TEST_CASE("43.10 43.11 bytes are the formula's, no run is faster than its bound, and the ledger closes") {
    CHECK(rc::check([] {
      const OperatorProblem problem = random_operator(30'000);
      const MachineSpec machine = random_operator_machine();
      const auto pes = *rc::gen::inRange<std::int64_t>(1, 9);
      const OperatorPlan plan = plan_operator_on(machine, problem, pes);
      const OperatorRan run = run_planned(machine, plan, false);
      const bool mean = !plan.traits().writes_rows;
      for (std::size_t rank = 0; rank < run.pes.size(); ++rank) {
        const OperatorRan::OfPe& pe = run.pes[rank];
        const auto [read, written] = traffic_of(plan, plan.shares[rank]);
        const bool takes_mean = mean && rank == 0;
        RC_ASSERT(pe.read == read + (takes_mean ? 4 * plan.active() : 0));
        RC_ASSERT(pe.written == written + (takes_mean ? bytes_of(1, problem.dtype) : 0));
        RC_ASSERT(pe.untold == Picoseconds{});
        RC_ASSERT(pe.unaccounted == Picoseconds{});
      }
      RC_ASSERT(run.time >= operator_bound(plan, machine).time);
      RC_ASSERT(run.time >= operator_roofline(problem, machine, pes).time);
    }));
  }

  TEST_CASE("43.10 the bytes-bound limit: with lanes enough a large operator takes what its bytes take") {
    // 2 MiB of bf16 in and as much out over a die; the unit has 16384 lanes and ways to TCM as wide.
    const MachineSpec machine = one_die({"pe.vector.lanes=16384", "pe.fetch_bandwidth=64 TB/s",
                                         "pe.store_bandwidth=64 TB/s", "die.hbm.turnaround=0 ns"});
    for (const Operator op : {Operator::kLayerNorm, Operator::kGelu, Operator::kSwish, Operator::kSoftmax,
                              Operator::kRotary, Operator::kRmsNorm}) {
      CAPTURE(std::string(kOperators[op]));
      const OperatorProblem problem{op, 8, 128, 8192};
      const OperatorPlan plan = plan_operator_on(machine, problem, 8);
      const OperatorBound bound = operator_bound(plan, machine);
      CHECK(bound.resource == "hbm");
      const Bytes moved = problem.least_read() + problem.least_written() +
                          7 * plan.traits().parameters * problem.dimension * 2;  // gain and bias in every partition
      CHECK(bound.time == machine.die.hbm.bandwidth.time_for(moved / 8 - queued_writes(machine)));
      const Picoseconds time = run_planned(machine, plan, false).time;
      CHECK(time >= bound.time);
      CHECK(time.ns() < 1.12 * bound.time.ns());
    }
  }

  TEST_CASE("43.3 energy: operations, bytes of registers and bursts of HBM are counted") {
    CHECK(rc::check([] {
      const OperatorProblem problem = random_operator(20'000);
      const MachineSpec machine = random_operator_machine();
      const OperatorPlan plan = plan_operator_on(machine, problem, 1);  // no messages
      const OperatorRan run = run_planned(machine, plan, false);
      const VectorTask all = all_work(plan, machine.pe.vector);
      RC_ASSERT(run.vector_operations == all.operations);
      RC_ASSERT(run.registers == all.fetched);
      RC_ASSERT(run.hbm >= run.pes[0].read + run.pes[0].written);
      RC_ASSERT(run.hbm % machine.die.hbm.burst == 0);
    }));
  }
}
