// Training steps: who waits for whom, what a GEMM's time is made of, and which clock a package has.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/collective/rails.hpp"
#include "sim/plan/network/package_clock.hpp"
#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/training/training_run.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

/// Two packages, each a die of 8 PEs.
MachineSpec two_dies() {
  return milestone({"package.dies.rows=1", "package.dies.columns=1", "simulation.packet_bytes=4 KiB"});
}

TrainingSetup setup_of(const std::vector<TrainingLayer>& layers, Bytes bucket, std::int32_t channels = 2) {
  return {.step = plan_training_step(layers, bucket),
          .channels = channels,
          .threads = 256,
          .launch = from_ns(500),
          .latency = from_ns(1000),
          .gap = from_ns(200)};
}

const std::vector<TrainingLayer> kLayers(3, TrainingLayer{128, 128, 256});

std::vector<TrainingInjection> injections(const std::string& text, const TrainingSetup& setup, std::int64_t steps) {
  return parse_injections(text, {.ranks = 2, .steps = steps, .step = &setup.step}, "--inject");
}

Picoseconds launched(const TrainingSetup& setup, Picoseconds host, std::int64_t launch) {
  return host + (launch + 1) * setup.launch + setup.latency;
}

/// Every start follows from ends and launches (41.4, 41.6, 41.7).
void expect_starts(const TrainingSetup& setup, const RankTimes& times) {
  for (std::size_t i = 0; i < times.gemms.size(); ++i) {
    const Picoseconds after = i == 0 ? Picoseconds{} : times.gemms[i - 1].end + setup.gap;
    RC_ASSERT(times.gemms[i].start.value ==
              std::max(after, launched(setup, times.host, setup.step.gemms[i].launch)).value);
    RC_ASSERT(times.gemms[i].start.value < times.gemms[i].end.value);
  }
  for (std::size_t bucket = 0; bucket < times.collectives.size(); ++bucket) {
    Picoseconds ready = launched(setup, times.host, setup.step.buckets[bucket].launch);
    if (bucket > 0) ready = std::max(ready, times.collectives[bucket - 1].end);
    for (std::size_t i = 0; i < times.gemms.size(); ++i) {
      if (setup.step.gemms[i].bucket == static_cast<std::int64_t>(bucket)) ready = std::max(ready, times.gemms[i].end);
    }
    RC_ASSERT(times.collectives[bucket].start.value == ready.value);
  }
}

bool overlaps_any(const WorkTimes& gemm, const RankTimes& times) {
  return std::ranges::any_of(times.collectives, [&](const WorkTimes& collective) {
    return collective.start < gemm.end && gemm.start < collective.end;
  });
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.3 channels are spread evenly, threads are slots by the 32, and both are checked") {
    constexpr Rail kThird{.number = 2, .of = 3, .pes_of_rank = 8};
    CHECK(kThird.pe(0) == 5);
    CHECK(kThird.pe(1) == 13);
    std::set<std::int32_t> pes;
    for (std::int32_t rail = 0; rail < 28; ++rail) pes.insert(Rail{rail, 28, 128}.pe(0));
    CHECK(pes.size() == 28);
    CHECK(*pes.rbegin() == 123);
    CHECK(Rail{3, 8, 0}.pe(2) == 19);  // as many as PEs: one after the other
    const MachineSpec machine = two_dies();
    CHECK(plan_training(machine, setup_of(kLayers, 0)).machine.pe.message_queue.slots == 8);
    TrainingSetup setup = setup_of(kLayers, 0, 8);
    CHECK(::error_of([&] { check_training(machine, setup); }) ==
          "channels: expected 1 to 7 of the 8 PEs of a package, for one at least multiplies; got 8");
    setup.channels = 2;
    setup.threads = 100;
    CHECK(::error_of([&] { check_training(machine, setup); }) ==
          "threads: expected a multiple of 32, for 32 are a slot of a message queue; got 100");
    CHECK(::error_of([&] { check_training(one_die(), setup); }).find("at least 2 packages") != std::string::npos);
  }

  TEST_CASE("41.4 a step without collectives is its GEMMs, each as by itself, with gaps between") {
    const MachineSpec machine = two_dies();
    const TrainingSetup setup = setup_of(kLayers, 0);
    const PlannedTraining planned = plan_training(machine, setup);
    StepConditions conditions{.hosts = {{}, {}}, .clocks = {kOwnClock, kOwnClock}, .extra = {}, .collectives = false};
    conditions.extra.assign(2, std::vector<Picoseconds>(setup.step.gemms.size()));
    const std::vector<RankTimes> ranks = run_training_step(planned, conditions);
    MultiPeGemmRequest alone{.problem = setup.step.gemms[0].problem,
                             .kernel = setup.kernel,
                             .placement = planned.gemms[0].placement,
                             .pes = {1, 2, 3, 5, 6, 7, 0, 4},
                             .multiplying = planned.gemms[0].multiplying};
    const Picoseconds time = run_multi_pe_gemm(planned.machine, alone).time;
    renew_systemc();
    REQUIRE(ranks.size() == 2);
    for (const RankTimes& times : ranks) {
      CHECK(times.collectives.empty());
      CHECK(times.gemms[0].duration().value == time.value);
      CHECK(times.gemms[1].duration().value == time.value);  // of the same shape, on an idle machine
      expect_starts(setup, times);
    }
    // PEs that are ahead wait for the others: no GEMM begins before the one before it has ended on all.
    conditions.extra[1][0] = from_ns(7000);
    const std::vector<RankTimes> longer = run_training_step(planned, conditions);
    CHECK((longer[1].gemms[0].end - ranks[1].gemms[0].end).value == 7'000'000);
    CHECK((longer[1].gemms[1].start - ranks[1].gemms[1].start).value == 7'000'000);
    CHECK(longer[0].gemms.back().end.value == ranks[0].gemms.back().end.value);
  }

  TEST_CASE("41.5 as many PEs multiply as make the largest part of C the smallest") {
    const PlannedTraining planned = plan_training(two_dies(), setup_of({{96, 64, 64}, {160, 64, 32}}, 0, 1));
    // 3 x 2 tiles of C on up to 7 PEs: 6 have one each. 5 x 1 tiles: 7 x 1 PEs, two without.
    CHECK(planned.gemms[0].multiplying == 6);
    CHECK(planned.gemms[1].multiplying == 7);
    CHECK(to_text(planned.gemms[0].placement) == "a=blocks,b=blocks,c=blocks");
    const std::vector<MemoryNode> memories(8, 0);
    const PlacedGemm gemm = place_multi_pe_gemm(planned.machine,
                                                {.problem = planned.setup.step.gemms[0].problem,
                                                 .kernel = "owner_computes",
                                                 .placement = planned.gemms[0].placement,
                                                 .pes = {1, 2, 3, 4, 5, 6, 7, 0},
                                                 .multiplying = planned.gemms[0].multiplying},
                                                memories);
    CHECK(gemm.c.parts() == 6);
    CHECK(gemm.a.part(0).base == 0);
    TrainingSetup shared = setup_of({{96, 64, 64}, {256, 64, 32}}, 0, 1);
    shared.shared = true;
    CHECK(plan_training(two_dies(), shared).gemms[1].multiplying == 8);
  }

  TEST_CASE("41.6 41.7 every start follows from what it waits for, whatever the step") {
    CHECK(rc::check([] {
      std::vector<TrainingLayer> layers(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
      for (TrainingLayer& layer : layers) {
        layer = {*rc::gen::inRange<std::int64_t>(1, 200), *rc::gen::inRange<std::int64_t>(1, 200),
                 *rc::gen::inRange<std::int64_t>(1, 200)};
      }
      TrainingSetup setup = setup_of(layers, *rc::gen::inRange<Bytes>(0, 60'000), *rc::gen::inRange(1, 8));
      setup.launch = Picoseconds{*rc::gen::inRange<std::int64_t>(0, 2'000'000)};
      setup.latency = Picoseconds{*rc::gen::inRange<std::int64_t>(0, 2'000'000)};
      setup.gap = Picoseconds{*rc::gen::inRange<std::int64_t>(0, 2'000'000)};
      const std::string delay = std::to_string(*rc::gen::inRange(0, 3'000'000));
      const TrainingRun run =
          run_training(two_dies(), setup, 2, injections("rank=1,steps=1,delay=" + delay + " ps", setup, 2));
      for (std::size_t step = 0; step < 2; ++step) {
        for (std::size_t rank = 0; rank < 2; ++rank) {
          const TrainingRank& of = run.steps[step][rank];
          const Picoseconds begin = step == 0 ? Picoseconds{} : run.steps[0][rank].times.end();
          RC_ASSERT(of.begin.value == begin.value);
          const Picoseconds late{step == 1 && rank == 1 ? std::stoll(delay) : 0};
          RC_ASSERT(of.times.host.value == (begin + late).value);
          expect_starts(setup, of.times);
          for (std::size_t bucket = 0; bucket < of.times.collectives.size(); ++bucket) {
            // What a rank has at the end has come from the other: nobody ends before all have begun.
            const WorkTimes& other = run.steps[step][1 - rank].times.collectives[bucket];
            RC_ASSERT(of.times.collectives[bucket].end.value > other.start.value);
          }
        }
      }
    }));
  }

  TEST_CASE("41.8 a step begins on a rank when the one before has ended there; equal steps are simulated once") {
    const TrainingSetup setup = setup_of(kLayers, 0);
    const TrainingRun run = run_training(two_dies(), setup, 4, {});
    REQUIRE(run.steps.size() == 4);
    CHECK(run.simulated_steps < 4);
    for (std::size_t step = 0; step + 1 < 4; ++step) {
      for (std::size_t rank = 0; rank < 2; ++rank) {
        CHECK(run.steps[step + 1][rank].begin.value == run.steps[step][rank].times.end().value);
      }
    }
    // Whatever the step finds says all of its times: from a late begin on they are those of an early one.
    const TrainingRun late =
        run_training(two_dies(), setup, 1, injections("rank=0,delay=9us;rank=1,delay=9us", setup, 1));
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const RankTimes& early = run.steps[0][rank].times;
      for (std::size_t i = 0; i < early.gemms.size(); ++i) {
        CHECK((late.steps[0][rank].times.gemms[i].start - early.gemms[i].start).value == 9'000'000);
        CHECK((late.steps[0][rank].times.gemms[i].end - early.gemms[i].end).value == 9'000'000);
      }
    }
  }

  TEST_CASE(
      "41.15 no step of the machine's own clock is faster than its bound, and a GEMM near the array's is near it") {
    CHECK(rc::check([] {
      const TrainingLayer layer{*rc::gen::inRange<std::int64_t>(1, 300), *rc::gen::inRange<std::int64_t>(1, 300),
                                *rc::gen::inRange<std::int64_t>(1, 300)};
      const TrainingRun run = run_training(two_dies(), setup_of({layer, layer}, 0, *rc::gen::inRange(1, 8)), 1, {});
      Picoseconds expected = run.planned.setup.launch + run.planned.setup.latency;
      for (std::size_t i = 0; i < run.planned.gemms.size(); ++i) {
        expected += run.planned.gemms[i].bound;
        if (i > 0) expected += run.planned.setup.gap;
        for (const TrainingRank& rank : run.steps[0]) {
          RC_ASSERT(rank.times.gemms[i].duration() >= run.planned.gemms[i].bound);
        }
      }
      RC_ASSERT(training_bound(run.planned).value == expected.value);
      for (const TrainingRank& rank : run.steps[0]) RC_ASSERT(rank.times.end() >= expected);
    }));
    const TrainingRun large = run_training(two_dies(), setup_of({{512, 512, 512}}, 0, 1), 1, {});
    CHECK(large.steps[0][0].times.gemms[0].duration().ns() < 3 * large.planned.gemms[0].bound.ns());
  }

  TEST_CASE("41.9 a package of a lower clock is slower by it, and the others are as they were") {
    const TrainingSetup setup = setup_of(kLayers, 0);
    const PlannedTraining planned = plan_training(two_dies(), setup);
    StepConditions conditions{.hosts = {{}, {}}, .clocks = {kOwnClock, kOwnClock}, .extra = {}, .collectives = false};
    conditions.extra.assign(2, std::vector<Picoseconds>(setup.step.gemms.size()));
    const std::vector<RankTimes> own = run_training_step(planned, conditions);
    for (const std::int64_t clock : {900'000, 500'000, 1'250'000}) {
      conditions.clocks[1] = clock;
      const std::vector<RankTimes> clocked = run_training_step(planned, conditions);
      for (std::size_t i = 0; i < setup.step.gemms.size(); ++i) {
        CHECK(clocked[0].gemms[i].duration().value == own[0].gemms[i].duration().value);
        const double ratio = clocked[1].gemms[i].duration().ns() / own[1].gemms[i].duration().ns();
        CHECK(ratio == doctest::Approx(1e6 / static_cast<double>(clock)).epsilon(0.001));
      }
    }
    const MachineSpec slow = at_clock(planned.machine, 900'000);
    CHECK(slow.pe.clock.hertz == 900'000'000);
    CHECK(slow.die.hbm.bandwidth.bytes_per_second == 230'400'000'000);
    CHECK(slow.die.hbm.read_latency.value == 35'556);
    CHECK(slow.system.package_link.bytes_per_second == planned.machine.system.package_link.bytes_per_second);
    const MachineSpec own_clock = at_clock(planned.machine, kOwnClock);
    CHECK(own_clock.die.hbm.read_latency.value == planned.machine.die.hbm.read_latency.value);
  }

  TEST_CASE("41.11 a GEMM's time is alone, clock, extra and contention, the last where a collective runs") {
    const TrainingSetup setup = setup_of(kLayers, 0);
    const TrainingRun run =
        run_training(two_dies(), setup, 3,
                     injections("rank=1,steps=1..2,clock=0.8;rank=0,steps=2,gemm=layer1.dgrad,extra=5us", setup, 3));
    std::int64_t contended = 0;
    for (std::size_t step = 0; step < 3; ++step) {
      for (std::size_t rank = 0; rank < 2; ++rank) {
        const TrainingRank& of = run.steps[step][rank];
        for (std::size_t i = 0; i < of.truth.size(); ++i) {
          const GemmTruth& truth = of.truth[i];
          const WorkTimes& times = of.times.gemms[i];
          CHECK((truth.alone + truth.clock + truth.extra + truth.contention).value == times.duration().value);
          const bool extra = rank == 0 && step == 2 && setup.step.gemms[i].name == "layer1.dgrad";
          CHECK(truth.extra.value == (extra ? 5'000'000 : 0));
          CHECK((truth.clock.value > 0) == (rank == 1 && step > 0));
          CHECK(truth.alone.value == run.steps[0][0].truth[i].alone.value);
          if (times.end <= of.times.collectives.front().start) CHECK(truth.contention.value == 0);
          if (overlaps_any(times, of.times)) contended += truth.contention.value != 0 ? 1 : 0;
        }
      }
    }
    CHECK(contended > 0);
  }
}
