// The closed-form bound, beside sums over every step of the plan.
#include "sim/plan/gemm_bound.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/plan/array_work.hpp"
#include "tests/plan/random_problem.hpp"

using namespace kernbench;

namespace {

struct Work {
  Bytes streamed = 0;
  Bytes fetched = 0;
  Bytes out = 0;
  Cycles vector = 0;
  Cycles convert = 0;
};

Work work_of(const TileStep& step) {
  return {step.streamed_bytes(), step.fetch_bytes, step.last ? step.output.block.bytes() : 0, step.vector_cycles,
          step.convert_cycles};
}

/// Time of an amount of work at the machine's rates.
struct Rates {
  Bandwidth read;
  Bandwidth write;
  const MachineSpec& machine;
  explicit Rates(const MachineSpec& spec)
      : read(std::min({spec.die.hbm.bandwidth, spec.die.router.link, spec.pe.tcm.write})),
        write(std::min(spec.die.router.link, spec.pe.tcm.read)),
        machine(spec) {}
  [[nodiscard]] Picoseconds dma(const Work& w) const { return read.time_for(w.streamed); }
  [[nodiscard]] Picoseconds fetch(const Work& w) const { return machine.pe.fetch.time_for(w.fetched); }
  [[nodiscard]] Picoseconds vector(const Work& w) const { return machine.pe.clock.time_for(w.vector); }
  [[nodiscard]] Picoseconds convert(const Work& w) const { return machine.pe.clock.time_for(w.convert); }
  [[nodiscard]] Picoseconds store(const Work& w) const { return machine.pe.store.time_for(w.out); }
  [[nodiscard]] Picoseconds out(const Work& w) const { return write.time_for(w.out); }
};

/// Time of the array for the first `tiles` steps, one after the other.
Picoseconds multiplied(const TilePlan& plan, std::int64_t tiles, const PeSpec& pe) {
  Picoseconds taken;
  Picoseconds weights_free;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const ArrayCycles cycles = array_cycles(pe.mac, plan.step(t));
    taken = std::max(taken, weights_free + pe.clock.time_for(cycles.load)) + pe.clock.time_for(cycles.multiply);
    weights_free = taken - pe.clock.time_for(cycles.hides);
  }
  return taken;
}

/// The same in any order: weights that may be loaded meanwhile are.
Picoseconds multiplied_in_any_order(const TilePlan& plan, const PeSpec& pe) {
  Picoseconds taken;
  for (std::int64_t t = 0; t < plan.tiles; ++t) {
    const ArrayCycles cycles = array_cycles(pe.mac, plan.step(t));
    taken += pe.clock.time_for(cycles.multiply) + (cycles.hides > 0 ? Picoseconds{} : pe.clock.time_for(cycles.load));
  }
  return taken;
}

/// The table of clause 7.2, every sum taken step by step.
std::map<std::string, Picoseconds> terms_of(const TilePlan& plan, std::int64_t k_tiles, const MachineSpec& machine) {
  const Rates rates(machine);
  Work all;
  for (std::int64_t t = 0; t < plan.tiles; ++t) {
    const Work step = work_of(plan.step(t));
    all = {all.streamed + step.streamed, all.fetched + step.fetched, all.out + step.out, all.vector + step.vector,
           all.convert + step.convert};
  }
  const Work first = work_of(plan.step(0));
  const Work first_output = work_of(plan.step(k_tiles - 1));
  const Work last = work_of(plan.step(plan.tiles - 1));
  const ArrayCycles last_tile = array_cycles(machine.pe.mac, plan.step(plan.tiles - 1));
  const Picoseconds mac = machine.pe.clock.time_for(last_tile.load) + machine.pe.clock.time_for(last_tile.multiply);
  const Picoseconds leave = rates.store(last) + rates.out(last);
  const Picoseconds fetched = rates.dma(first) + rates.fetch(first);
  const Picoseconds ready = fetched + rates.convert(first);
  const Picoseconds finished = ready + multiplied(plan, k_tiles, machine.pe) + rates.vector(first_output);
  const HbmSpec& hbm = machine.die.hbm;
  const Bytes packet = ceil_div(machine.simulation.packet, hbm.burst * hbm.pseudo_channels);
  const Bytes queued = hbm.burst * hbm.pseudo_channels * (hbm.write_queue + packet - 1);
  // Every output has an accumulator set from its first product until it is stored; those of partial products are
  // others.
  const std::int64_t outputs = plan.outputs;
  const Picoseconds result =
      machine.pe.clock.time_for(machine.pe.mac.fill_cycles) +
      (work_of(plan.step(k_tiles - 1)).vector > 0 ? machine.pe.clock.time_for(machine.pe.vector.latency_cycles)
                                                  : Picoseconds{});
  const Picoseconds held =
      multiplied_in_any_order(plan, machine.pe) + outputs * result + rates.vector(all) + rates.store(all);
  const Picoseconds vector_head =
      all.convert > 0 ? fetched : ready + multiplied(plan, plan.step(0).partial ? 1 : k_tiles, machine.pe);
  const Picoseconds vector_tail = all.convert > 0 && last.vector == 0 ? mac + leave : leave;
  std::map<std::string, Picoseconds> terms{
      {"accumulators",
       ready + (plan.step(0).partial ? Picoseconds{} : Picoseconds{held.value / machine.pe.mac.accumulators}) +
           rates.out(last)},
      {"hbm", hbm.bandwidth.time_for(all.streamed + std::max<Bytes>(all.out - queued, 0))},
      {"dma_in", rates.dma(all) + rates.fetch(last) + rates.convert(last) + mac + rates.vector(last) + leave},
      {"fetch", rates.dma(first) + rates.fetch(all) + rates.convert(last) + mac + rates.vector(last) + leave},
      {"mac", ready + multiplied(plan, plan.tiles, machine.pe) + rates.vector(last) + leave},
      {"vector", vector_head + machine.pe.clock.time_for(all.convert + all.vector) + vector_tail},
      {"store", finished + rates.store(all) + rates.out(last)},
      {"dma_out", finished + rates.store(first_output) + rates.out(all)},
  };
  if (all.convert > 0) {  // 34.10
    const Picoseconds occupied = rates.fetch(all) + rates.convert(all) +
                                 plan.tiles * machine.pe.clock.time_for(machine.pe.vector.latency_cycles) +
                                 multiplied_in_any_order(plan, machine.pe);
    terms["registers"] =
        rates.dma(first) + Picoseconds{occupied.value / machine.pe.mac.operand_registers} + rates.vector(last) + leave;
  }
  return terms;
}

/// Every term of the bound, and which is the largest.
void expect_terms(const GemmProblem& problem) {
  const MachineSpec machine = random_machine();
  const Residency residency = random_residency();
  const GemmMatrices matrices = place_gemm(problem, machine);
  const TilePlan plan = make_gemm_plan(problem, loaded(problem, matrices, residency), machine.pe);
  const GemmBound bound = gemm_bound(problem, residency, machine);
  const auto expected = terms_of(plan, matrices.a.column_tiles(), machine);
  RC_ASSERT(bound.terms.size() == expected.size());
  Picoseconds largest{};
  for (const BoundTerm& term : bound.terms) {
    RC_TAG(std::string(term.resource));
    RC_ASSERT(term.total().value == expected.at(std::string(term.resource)).value);
    largest = std::max(largest, term.total());
  }
  RC_ASSERT(bound.composite == largest);
  RC_ASSERT(bound.mac_work() == multiplied(plan, plan.tiles, machine.pe));
}

}  // namespace

TEST_SUITE("ADR-0007") {
  TEST_CASE("7.1 no latency, overhead, burst or buffer changes the bound; each bandwidth of the way does") {
    const GemmProblem problem{64, 256, 64};
    const auto bound = [&](const std::vector<std::string>& overrides) {
      return gemm_bound(problem, {true, false}, milestone(overrides));
    };
    const GemmBound ideal = bound({});
    const GemmBound slow =
        bound({"pe.control_latency=99ns", "pe.scheduler_latency=99ns", "pe.dma.setup_latency=99ns",
               "pe.dma.outstanding_bursts=1", "pe.stream_depth=1", "pe.output_depth=1", "pe.mac.operand_registers=1",
               "die.hbm.read_latency=99ns", "die.hbm.turnaround=99ns", "die.hbm.pseudo_channels=2", "die.hbm.burst=64B",
               "die.router.hop_latency=99ns", "die.wire.delay=9ns/mm", "simulation.packet_bytes=64B"});
    CHECK(slow.pe == ideal.pe);
    CHECK(slow.composite == ideal.composite);
    CHECK(slow.bottleneck() == ideal.bottleneck());
    for (const std::string key : {"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.tcm.write_bandwidth"}) {
      const GemmBound narrow = bound({key + "=64 GB/s"});
      CHECK(narrow.bottleneck() == "dma_in");
      CHECK(narrow.pe - narrow.composite == from_ns(512));  // 32 KiB of A at 64 GB/s
    }
    const auto out_of = [](const GemmBound& b) { return b.terms.back().work; };
    CHECK(out_of(bound({"pe.tcm.read_bandwidth=64 GB/s"})) == from_ns(128));  // 8 KiB of C
    CHECK(out_of(ideal) == from_ns(32));
    // The memory acknowledges what its queues hold before it is written.
    CHECK(out_of(bound({"die.hbm.bandwidth=64 GB/s"})) == from_ns(32));
  }

  TEST_CASE("7.7 an output has an accumulator set from its first product until it is stored") {
    // 4 outputs of 4 K tiles of 16 ns, then 99 ns of filling and 4 ns of store, in one set after the other.
    const std::vector<std::string> one_set{"pe.mac.fill_cycles=99", "pe.mac.accumulators=1"};
    const GemmBound bound = gemm_bound({64, 256, 64}, {true, true}, milestone(one_set));
    CHECK(bound.bottleneck() == "accumulators");
    const auto term = std::ranges::find(bound.terms, "accumulators", &BoundTerm::resource);
    CHECK(term->work == from_ns(4 * (4 * 16 + 99 + 4)));
    CHECK(term->tail == from_ns(8));
    CHECK(gemm_bound({64, 256, 64}, {true, true}, milestone({"pe.mac.fill_cycles=99"})).composite < bound.composite);
  }

  TEST_CASE("7.2 every term of any GEMM is the sum over the steps of its plan") {
    CHECK(rc::check("terms of the bound", [] { expect_terms(random_problem()); }));
  }

  TEST_CASE("7.3 the bound is the largest term: 812 ns for 32 x 3072 x 32 load_ref; equal terms are named together") {
    const GemmBound long_k = gemm_bound({32, 3072, 32}, {true, false}, milestone());
    CHECK(long_k.composite == from_ns(48 * 16 + 2 * 16 + 4 + 8));
    CHECK(long_k.bottleneck() == "dma_in+fetch+mac+store+dma_out");  // a single output leaves only after all tiles

    const auto bottleneck = [](Residency residency, const std::vector<std::string>& overrides = {}) {
      return gemm_bound({64, 3072, 64}, residency, milestone(overrides)).bottleneck();
    };
    CHECK(bottleneck({}) == "dma_in");
    CHECK(bottleneck({true, false}) == "dma_in+fetch+mac");
    CHECK(bottleneck({true, true}) == "fetch+mac");
    CHECK(bottleneck({true, true}, {"pe.fetch_bandwidth=1 TB/s"}) == "mac");
    CHECK(bottleneck({true, true}, {"pe.store_bandwidth=1 GB/s"}) == "store");
  }

  TEST_CASE("7.4 the window of the PE has the loads before it, at the reading rate") {
    const auto loads = [](const GemmProblem& problem, Residency residency) {
      const GemmBound bound = gemm_bound(problem, residency, milestone());
      return bound.pe - bound.composite;
    };
    CHECK(loads({32, 3072, 32}, {}) == Picoseconds{});
    CHECK(loads({32, 3072, 32}, {true, false}) == from_ns(768));
    CHECK(loads({32, 3072, 64}, {true, true}) == from_ns(768 + 1536));
    CHECK(loads({32, 3072, 32, Layout::kBlocked, {{VectorOp::kBias}}}, {}) == Picoseconds{250});
  }
}

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.10 and so is every term where B is converted") {
    CHECK(rc::check("terms of the bound, B of fewer bytes", [] {
      GemmProblem problem = random_problem();
      problem.dtype_b = *rc::gen::element(Dtype::kInt8, Dtype::kFp8E4m3);
      expect_terms(problem);
    }));
  }

  TEST_CASE("34.10 with two register sets a conversion is as good as in a row with fetch and product") {
    // 64 tiles: 12 ns of fetch, 16 of conversion, 4 of latency, 16 of the array.
    const GemmProblem problem{.m = 64, .k = 1024, .n = 64, .dtype_b = Dtype::kInt8};
    const auto bound = [&](const std::vector<std::string>& overrides) {
      return gemm_bound(problem, {true, true}, milestone(overrides));
    };
    CHECK(bound({}).bottleneck() == "registers");
    CHECK(bound({}).composite == from_ns(64 * (12 + 16 + 4 + 16) / 2 + 4 + 8));
    CHECK(bound({"pe.mac.operand_registers=4"}).bottleneck() == "mac+vector");
    CHECK(bound({"pe.mac.operand_registers=4"}).composite == from_ns(12 + 16 + 64 * 16 + 4 + 8));
    CHECK(bound({"pe.mac.operand_registers=4", "pe.vector.rates.convert=0.5"}).bottleneck() == "vector");
    CHECK(bound({"pe.mac.operand_registers=4", "pe.vector.rates.convert=0.5"}).composite ==
          from_ns(12 + 64 * 32 + 16 + 4 + 8));
  }
}
