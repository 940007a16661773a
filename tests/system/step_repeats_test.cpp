// Mappings whose steps are counted on where they repeat themselves, against the same runs step by step.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/told.hpp"

namespace kernbench::step_repeats_test {
namespace {

Told mapped_told(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                 bool fast_forward) {
  return told([&](const RunSettings& settings) { return run_gemm(machine, problem, mapping, settings); },
              {.fast_forward = fast_forward});
}

/// Both ways of one run say the same; returns how many steps were passed over.
std::int64_t same_both_ways(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping) {
  const Told counted = mapped_told(machine, problem, mapping, true);
  const Told simulated = mapped_told(machine, problem, mapping, false);
  CHECK(simulated.steps == 0);
  CHECK(simulated.passed_over == 0);
  CHECK(counted.all == simulated.all);
  return counted.steps;
}

constexpr TileShape kTile{32, 64, 32};

/// Blocks of one to four tiles, along some dimensions of many; some thousand tiles at most.
GemmMapping any_mapping(GemmProblem& problem, const TileShape& tile) {
  GemmMapping mapping{.tile = tile};
  std::array<std::int64_t, 3> blocks{};
  std::array<std::int64_t, 3> of_block{};
  for (std::size_t i = 0; i < 3; ++i) {
    of_block[i] = *rc::gen::inRange<std::int64_t>(1, 5);
    blocks[i] = *rc::gen::weightedOneOf<std::int64_t>(
        {{1, rc::gen::inRange<std::int64_t>(1, 4)}, {1, rc::gen::inRange<std::int64_t>(8, 50)}});
  }
  const std::int64_t tiles = of_block[0] * of_block[1] * of_block[2];
  while (blocks[0] * blocks[1] * blocks[2] * tiles > 5'000) *std::ranges::max_element(blocks) /= 2;
  const auto size = [&](std::size_t i, std::int64_t of_tile, std::int64_t& block) {
    block = of_block[i] * of_tile;
    const bool whole = *rc::gen::weightedElement<bool>({{2, true}, {1, false}});
    const std::int64_t all = blocks[i] * block - (whole ? 0 : *rc::gen::inRange<std::int64_t>(0, block));
    block = std::min(block, all);
    return all;
  };
  problem.m = size(0, tile.m, mapping.block.m);
  problem.k = size(1, tile.k, mapping.block.k);
  problem.n = size(2, tile.n, mapping.block.n);
  mapping.order = *rc::gen::element(LoopOrder::kMnk, LoopOrder::kMkn, LoopOrder::kNmk, LoopOrder::kNkm, LoopOrder::kKmn,
                                    LoopOrder::kKnm);
  mapping.blocks = *rc::gen::element(Residency{true, true}, Residency{true, false}, Residency{false, true});
  mapping.sums = SumStorage{exact_sums(problem.dtype), *rc::gen::element(SumPlace::kTcm, SumPlace::kHbm)};
  mapping.buffers = *rc::gen::inRange<std::int64_t>(1, kMostBuffers + 1);
  return mapping;
}

TEST_SUITE("ADR-0047") {
  TEST_CASE("47.8 all that a run by a mapping says is what it says step by step") {
    struct Mapped {
      std::int64_t m, k, n;
      GemmMapping mapping;
      const char* epilogues = "";
      Layout layout = Layout::kBlocked;
    };
    const MachineSpec machine = milestone({"pe.tcm.capacity=64 MiB"});
    for (const Mapped& run :
         {Mapped{512, 256, 1024, {.tile = kTile, .block = {64, 256, 32}, .buffers = 3}},
          {512, 256, 1024, {.tile = kTile, .block = {64, 256, 32}, .order = LoopOrder::kNmk}},
          {500, 256, 1010, {.tile = kTile, .block = {64, 256, 32}, .buffers = 1}, "bias,gelu"},
          {128, 4096, 64, {.tile = kTile, .block = {64, 128, 64}}},
          {256, 512, 1024, {.tile = kTile, .block = {64, 128, 32}, .order = LoopOrder::kMkn}},
          {256, 512, 1024, {.tile = kTile, .block = {64, 128, 32}, .order = LoopOrder::kKmn}},
          {256,
           512,
           1024,
           {.tile = kTile, .block = {64, 128, 32}, .sums = SumStorage{SumFormat::kFp32, SumPlace::kHbm}}},
          {1024, 128, 512, {.tile = kTile, .block = {32, 128, 512}, .blocks = {true, false}}},
          {512, 256, 1024, {.tile = kTile, .block = {64, 256, 32}}, "scale@k_tile", Layout::kRowMajor}}) {
      CAPTURE(to_text(run.mapping));
      const GemmProblem problem{
          .m = run.m, .k = run.k, .n = run.n, .layout = run.layout, .epilogues = parse_epilogues(run.epilogues)};
      CHECK(same_both_ways(machine, problem, run.mapping) > 0);
    }
  }

  TEST_CASE("47.9 so many steps are simulated") {
    const auto simulated = [](std::int64_t size, const GemmMapping& mapping) {
      const GemmProblem problem{.m = size, .k = size, .n = size};
      return MappedGemm(problem, mapping).steps() - mapped_told(milestone(), problem, mapping, true).steps;
    };
    CHECK(simulated(1024, {.tile = kTile, .block = {64, 1024, 32}, .buffers = 3}) == 48);
    CHECK(simulated(4096, {.tile = kTile, .block = {64, 4096, 32}, .buffers = 3}) == 48);
    CHECK(simulated(8192, {.tile = kTile, .block = {64, 8192, 32}, .buffers = 3}) == 48);
    CHECK(simulated(1024, {.tile = kTile, .block = {64, 256, 32}}) == 144);
    CHECK(simulated(1024, {.tile = kTile, .block = {128, 256, 128}, .order = LoopOrder::kKnm}) == 147);
    CHECK(simulated(1024, {.tile = kTile, .block = {512, 512, 512}}) == 8);
  }

  TEST_CASE("47.7 a time limit holds for steps that are passed over") {
    const GemmProblem problem{.m = 512, .k = 256, .n = 1024};
    const GemmMapping mapping{.tile = kTile, .block = {64, 256, 32}, .buffers = 3};
    const auto ends = [&](Picoseconds limit, bool fast_forward) {
      return forked([&] {
        try {
          const RunSettings settings{.limit = limit, .fast_forward = fast_forward};
          return std::to_string(run_gemm(milestone(), problem, mapping, settings).pe.end.value);
        } catch (const TimeLimitError& error) {
          return std::string(error.what());
        }
      });
    };
    const std::string end = ends(kForever, false);
    for (const Picoseconds limit : {Picoseconds{std::stoll(end)}, Picoseconds{std::stoll(end) - 1}, from_ns(9000)}) {
      CHECK(ends(limit, true) == ends(limit, false));
    }
  }

  TEST_CASE("47.8 on any machine, for any shape and mapping") {
    CHECK(rc::check([] {
      Case any = any_case(1);
      if (*rc::gen::inRange(0, 3) == 0) set_any_dtype(any);
      any.set("die.hbm.capacity", "4 GiB");
      any.set("pe.tcm.capacity", "1 GiB");
      const MachineSpec machine = any.machine();
      GemmProblem problem{.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor), .dtype = any.problem.dtype};
      const GemmMapping mapping = any_mapping(problem, machine.pe.mac.tile);
      RC_LOG() << any << '\n' << problem.m << 'x' << problem.k << 'x' << problem.n << ' ' << to_text(mapping) << '\n';
      const Told counted = mapped_told(machine, problem, mapping, true);
      RC_CLASSIFY(counted.steps > 0, "counted on");
      RC_ASSERT(counted.all == mapped_told(machine, problem, mapping, false).all);
    }));
  }
}

}  // namespace
}  // namespace kernbench::step_repeats_test
