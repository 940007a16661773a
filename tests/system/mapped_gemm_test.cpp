// GEMMs by mappings: right products, exact traffic, never faster than their bounds, and the staging variants among
// them.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

Observed mapped(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                bool verify = true) {
  return observe([&](const RunSettings& settings) {
    RunSettings with = settings;
    with.verify = verify;
    return run_gemm(machine, problem, mapping, with);
  });
}

/// A machine of random_case, whose TCM holds any mapping.
MachineSpec any_machine() {
  MachineSpec machine = any_case(3).machine();
  machine.pe.tcm.capacity = Bytes{1} << 30;
  return machine;
}

GemmProblem any_problem(const TileShape& tile) {
  const auto size = [](std::int64_t of) { return *rc::gen::inRange<std::int64_t>(1, 4 * of + 1); };
  GemmProblem problem{size(tile.m), size(tile.k), size(tile.n)};
  problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
  problem.epilogues = parse_epilogues(
      *rc::gen::element<std::string>("", "relu", "bias,gelu", "scale@k_tile", "scale@k_tile,bias,relu"));
  return problem;
}

Bytes bytes_of(const Observed& run, const std::string& stage) {
  for (const StageTotals& totals : run.result.stages) {
    if (totals.stage == stage) return totals.bytes;
  }
  return 0;
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE(
      "32.3 32.6 32.7 32.15 32.19 any mapping computes the product, moves what is foretold, and is not faster than its "
      "bound") {
    CHECK(rc::check("mappings", [] {
      const MachineSpec machine = any_machine();
      const GemmProblem problem = any_problem(machine.pe.mac.tile);
      const GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      RC_LOG() << "machine " << machine.name << ", " << problem.m << 'x' << problem.k << 'x' << problem.n << ", "
               << to_text(mapping) << '\n';
      const MappedGemm steps(problem, mapping);
      const Observed run = mapped(machine, problem, mapping);
      const GemmBound bound = gemm_bound(steps, machine);
      RC_LOG() << "simulated " << run.composite().value << " ps; bound " << bound.composite.value << " ps, by "
               << bound.bottleneck() << '\n';
      RC_ASSERT(run.result.pe.length() >= bound.pe);
      RC_ASSERT(run.composite() >= bound.composite);
      const Bytes bias = problem.has_epilogue(VectorOp::kBias) ? problem.n * 2 : 0;
      const Bytes sums = bytes_of((steps.k_blocks() - 1) * problem.m * problem.n, mapping.sums.format);
      const Bytes in_hbm = mapping.sums.place == SumPlace::kHbm ? sums : 0;
      RC_ASSERT(run.result.hbm_read ==
                2 * (steps.times_a() * problem.m * problem.k + steps.times_b() * problem.k * problem.n) + bias +
                    in_hbm);
      RC_ASSERT(run.result.hbm_written == 2 * problem.m * problem.n + in_hbm);
      RC_ASSERT(run.result.hbm_read + run.result.hbm_written == steps.traffic() + bias);
      RC_ASSERT(bytes_of(run, "store") == 2 * problem.m * problem.n + sums);
    }));
  }

  TEST_CASE("32.7 an output that only starts a kept sum passes the vector unit by, whatever its epilogues are") {
    const MachineSpec machine =
        milestone({"pe.mac.accumulators=1", "pe.vector.latency_cycles=64", "pe.mac.macs_per_cycle=2048"});
    const GemmProblem problem{.m = 32, .k = 192, .n = 32, .epilogues = parse_epilogues("bias,relu")};
    const GemmMapping mapping{.tile = machine.pe.mac.tile, .block = machine.pe.mac.tile, .buffers = 2};
    const GemmBound bound = gemm_bound(MappedGemm(problem, mapping), machine);
    CHECK(bound.composite <= mapped(machine, problem, mapping).composite());
  }

  TEST_CASE("32.5 what a mapping says it takes of TCM is enough") {
    CHECK(rc::check("room", [] {
      MachineSpec machine = any_machine();
      const GemmProblem problem = any_problem(machine.pe.mac.tile);
      const GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      machine.pe.tcm.capacity = MappedGemm(problem, mapping).tcm(machine);
      (void)mapped(machine, problem, mapping);
    }));
  }

  TEST_CASE("32.10 the staging variants are mappings of one step, to the picosecond and the record") {
    CHECK(rc::check("variants", [] {
      const MachineSpec machine = any_machine();
      const GemmProblem problem = any_problem(machine.pe.mac.tile);
      const auto [name, loaded] = *rc::gen::element(std::pair(std::string("ref_ref"), Residency{}),
                                                    std::pair(std::string("load_ref"), Residency{true, false}),
                                                    std::pair(std::string("load_load"), Residency{true, true}));
      const Observed variant = simulate_gemm(machine, problem, name);
      const Observed mapping = mapped(machine, problem, whole_mapping(problem, machine.pe.mac.tile, loaded), false);
      RC_ASSERT(to_text(variant.result, variant.records) == to_text(mapping.result, mapping.records));
    }));
  }

  TEST_CASE("32.4 calls: loads ahead, waits for what a step uses and for buffers, and the composites") {
    const auto calls = [](std::int64_t buffers) {
      const GemmMapping mapping{.tile = {32, 64, 32}, .block = {32, 64, 32}, .buffers = buffers};
      return mapped(milestone(), {32, 256, 32}, mapping).of("control").size();
    };
    // 4 steps along K: 8 loads, a wait for each, 4 composites, the wait for the last; before the buffers of A and B are
    // loaded again, a wait for the step that used them: of steps 0, 1, 2; of 0 and 1; of 0; of none.
    CHECK(calls(1) == 8 + 8 + 4 + 1 + 3);
    CHECK(calls(2) == 8 + 8 + 4 + 1 + 2);
    CHECK(calls(3) == 8 + 8 + 4 + 1 + 1);
    CHECK(calls(4) == 8 + 8 + 4 + 1);
  }

  TEST_CASE("32.6 a kept sum is 4 bytes an element: fetched again after its store, added in one pass, stored") {
    const GemmMapping mapping{.tile = {32, 64, 32}, .block = {32, 64, 32}, .buffers = 4};
    const Observed run = mapped(milestone(), {32, 128, 32}, mapping);
    const auto fetches = run.of("fetch");
    const auto stores = run.of("store");
    const auto vectors = run.of("vector");
    REQUIRE(fetches.size() == 2);
    REQUIRE(stores.size() == 2);
    REQUIRE(vectors.size() == 1);
    CHECK(fetches[0].bytes == 2 * 32 * 64 * 2);
    CHECK(fetches[1].bytes == 2 * 32 * 64 * 2 + 32 * 32 * 4);
    CHECK(fetches[1].start == stores[0].end);
    CHECK(stores[0].bytes == 32 * 32 * 4);
    CHECK(stores[0].end - stores[0].start == from_ns(8));  // at 512 GB/s
    CHECK(stores[1].bytes == 32 * 32 * 2);
    CHECK(vectors[0].end - vectors[0].start == from_ns(8));  // 1024 elements, 128 lanes at 1 GHz
  }

  TEST_CASE("32.6 with several outputs in a block the next block along K follows without a gap") {
    const GemmMapping mapping{.tile = {32, 64, 32}, .block = {128, 256, 128}, .buffers = 2};
    const Observed run = mapped(milestone(), {128, 512, 128}, mapping);
    const auto products = run.of("mac");
    const auto second = std::ranges::find(products, 1, &OpRecord::composite);
    REQUIRE(second != products.begin());
    CHECK(second->start == std::prev(second)->end);
  }
}
