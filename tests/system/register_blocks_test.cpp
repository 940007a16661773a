// Tiles in register blocks, and sums that store adds: right products, exact times, never faster than their bounds.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

StageTotals stage_of(const Observed& run, const std::string& name) {
  for (const StageTotals& stage : run.result.stages) {
    if (stage.stage == name) return stage;
  }
  return {};
}

Observed mapped(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping) {
  return observe([&](RunSettings settings) {
    settings.verify = true;
    return run_gemm(machine, problem, mapping, settings);
  });
}

void set_any_register_block(Case& any) {
  const std::int64_t accumulators = random_size(9);
  const std::int64_t rows = 1 + random_size(static_cast<int>(accumulators)) % accumulators;
  any.set("pe.mac.accumulators", accumulators);
  any.set("pe.mac.dataflow", "dot_product");
  any.set("pe.mac.weight_buffers", 1);
  any.set("pe.mac.register_block.rows", rows);
  any.set("pe.mac.register_block.columns", std::max<std::int64_t>(1, accumulators / rows));
  any.set("pe.accumulate_bandwidth", *rc::gen::arbitrary<bool>() ? any_bandwidth(5, 200) : "0 MB/s");
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.15 any mapping on any register block computes the product, and is not faster than its bound") {
    CHECK(rc::check([] {
      Case any = any_case(4);
      set_any_register_block(any);
      RC_LOG() << any << '\n';
      MachineSpec machine = any.machine();
      machine.pe.tcm.capacity = Bytes{1} << 30;
      GemmProblem problem = any.problem;
      problem.epilogues = parse_epilogues(*rc::gen::element<std::string>("", "bias,gelu", "scale@k_tile,bias"));
      const GemmMapping mapping = random_mapping(problem, machine.pe.mac.tile);
      RC_LOG() << to_text(mapping) << '\n';
      const Observed run = mapped(machine, problem, mapping);
      const GemmBound bound = gemm_bound(MappedGemm(problem, mapping), machine);
      RC_ASSERT(run.result.pe.length() >= bound.pe);
      RC_ASSERT(run.composite() >= bound.composite);
      const auto fetch = std::ranges::find(bound.terms, "fetch", &BoundTerm::resource);
      RC_ASSERT(machine.pe.fetch.time_for(stage_of(run, "fetch").bytes) == fetch->work);
      const auto vector = std::ranges::find(bound.terms, "vector", &BoundTerm::resource);
      RC_ASSERT(stage_of(run, "vector").busy >= vector->work);
    }));
  }

  TEST_CASE("6.15 2 x 4 tiles of bf16 fetch 10 tiles for 8 products, to the picosecond") {
    // 64 x 128 x 128 on tiles of 32 x 64 x 32: 2 x 2 x 4; a tile takes 16 ns of the array; two tiles are 8 KiB.
    const std::vector<std::string> slow{"pe.fetch_bandwidth=256 GB/s", "pe.mac.accumulators=16"};
    const auto run = [&](std::vector<std::string> more) {
      more.insert(more.end(), slow.begin(), slow.end());
      return simulate_gemm(milestone(more), {.m = 64, .k = 128, .n = 128}, "load_load", true);
    };
    const Observed one = run({});
    const Observed block = run({"pe.mac.register_block.rows=2", "pe.mac.register_block.columns=4"});
    CHECK(stage_of(one, "fetch").bytes == 2 * 8 * 8192);
    CHECK(stage_of(block, "fetch").bytes == 2 * 10 * 4096);
    // Fetch is what both wait for: 8 KiB take 32 ns, 4 KiB 16. Then the array's last 16 ns, fill, 4 ns of store and
    // 8 outputs of 2 KiB, of which the last five of the block are ready at 16 ns each.
    CHECK(one.of("fetch").back().end - one.of("fetch").front().start == from_ns(16 * 32));
    CHECK(block.of("fetch").back().end - block.of("fetch").front().start == from_ns(2 * (2 * 32 + 6 * 16)));
    CHECK(block.of("mac").back().end == block.of("fetch").back().end + from_ns(16));
  }

  TEST_CASE("6.15 a streamed operand is fetched for every tile") {
    const std::vector<std::string> block{"pe.mac.accumulators=16", "pe.mac.register_block.rows=2",
                                         "pe.mac.register_block.columns=4"};
    const auto bytes = [&](const std::string& variant) {
      return stage_of(simulate_gemm(milestone(block), {.m = 64, .k = 128, .n = 128}, variant, true), "fetch").bytes;
    };
    CHECK(bytes("ref_ref") == 16 * 8192);
    CHECK(bytes("load_ref") == 2 * 10 * 4096);  // A stays
  }
}

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.6 where store adds sums only the last step along K fetches and adds sums") {
    // 4 blocks along K of one tile of C.
    const GemmProblem problem{.m = 32, .k = 256, .n = 32};
    GemmMapping mapping{.tile = {32, 64, 32}, .block = {32, 64, 32}};
    mapping.blocks = {true, true};
    const auto run = [&](const std::string& bandwidth) {
      return mapped(milestone({"pe.accumulate_bandwidth=" + bandwidth}), problem, mapping);
    };
    const Observed fetched = run("0 MB/s");
    const Observed stored = run("128 GB/s");
    const Bytes sums = 32 * 32 * 4;
    CHECK(stage_of(fetched, "fetch").bytes == 4 * 8192 + 3 * sums);
    CHECK(stage_of(stored, "fetch").bytes == 4 * 8192 + sums);
    CHECK(stage_of(fetched, "vector").records == 3);
    CHECK(stage_of(stored, "vector").records == 1);
    CHECK(stage_of(stored, "store").bytes == stage_of(fetched, "store").bytes);
    // Three sums of 4 KiB at 512 GB/s and C; or the two between at a quarter of that.
    CHECK(stage_of(fetched, "store").busy == from_ns(3 * 8 + 4));
    CHECK(stage_of(stored, "store").busy == from_ns(8 + 2 * 32 + 4));
    // The last fetch of sums waits until the store of the step before has ended, t-1 and t.
    CHECK(stored.of("fetch").back().start >= stored.of("store")[2].end);
  }
}
