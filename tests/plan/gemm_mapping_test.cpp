// Mappings: what is written is read; steps cover the problem once; loads and traffic by counting.
#include "sim/plan/gemm_mapping.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <tuple>

#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

std::string refused(const std::string& text) {
  return ::error_of([&] { (void)parse_mapping(text, "--map"); });
}

/// Loads of an operand, counted step by step: who has been in its buffers before does not matter but for the last.
std::int64_t counted_loads(const MappedGemm& mapped, bool of_b) {
  std::int64_t loads = 0;
  std::pair<std::int64_t, std::int64_t> there{-1, -1};
  for (std::int64_t s = 0; s < mapped.steps(); ++s) {
    const BlockStep step = mapped.at(s);
    const std::pair needed(of_b ? step.k : step.i, of_b ? step.j : step.k);
    if (needed != there) ++loads;
    there = needed;
  }
  return loads;
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.1 a mapping is read as it is written") {
    CHECK(rc::check("text", [] {
      const GemmMapping mapping = random_mapping(random_problem(), random_machine().pe.mac.tile);
      const MappingRequest read = parse_mapping(to_text(mapping), "--map");
      RC_ASSERT(read.tile == mapping.tile);
      RC_ASSERT(read.block == mapping.block);
      RC_ASSERT(read.order == mapping.order);
      RC_ASSERT(read.blocks == mapping.blocks);
      RC_ASSERT(read.buffers == mapping.buffers);
      RC_ASSERT(read.sums == mapping.sums);
    }));
    const MappingRequest part = parse_mapping(" order=knm,buffers=3 ", "--map");
    CHECK(part.order == LoopOrder::kKnm);
    CHECK(part.buffers == 3);
    CHECK_FALSE(part.block);
    CHECK_FALSE(parse_mapping("auto", "--map").order);
  }

  TEST_CASE("32.1 what is no mapping is refused with what was expected") {
    CHECK(refused("blok=1x1x1").find("did you mean 'block'?") != std::string::npos);
    CHECK(refused("block=64x64").find("--map block: expected MxKxN in elements, as 256x512x256, got '64x64'") == 0);
    CHECK(refused("block=0x1x1").find("expected MxKxN") != std::string::npos);
    CHECK(refused("order=mmk").find("unknown order 'mmk'") != std::string::npos);
    CHECK(refused("buffers=5").find("--map buffers: expected 1 to 4, got '5'") == 0);
    CHECK(refused("stream=c").find("--map stream: expected none, a, b or ab") == 0);
    CHECK(refused("order=mnk order=mnk").find("order is given twice") != std::string::npos);
    CHECK(refused("order").find("expected order=VALUE") != std::string::npos);
    CHECK(refused("").find("--map: expected auto, or parts of a mapping") == 0);
    const auto block = [](const TileShape& shape) {
      return ::error_of([&] { (void)MappedGemm({100, 100, 100}, {.tile = {32, 64, 32}, .block = shape}); });
    };
    CHECK(block({64, 64, 100}).empty());
    CHECK(block({48, 64, 64}) ==
          "mapping: block m: expected a multiple of the tile's 32 up to the problem's 100, or that, got 48");
    CHECK(block({64, 64, 128}).find("mapping: block n: expected") == 0);
    CHECK(::error_of([] {
            (void)MappedGemm({1000000, 64, 1000000}, {.tile = {32, 64, 32}, .block = {32, 64, 32}});
          }).find("makes more than 1000000 steps") != std::string::npos);
    const auto tile = [](const TileShape& shape) { return ::error_of([&] { (void)with_tile(milestone(), shape); }); };
    CHECK(tile({64, 32, 16}).empty());
    CHECK(tile({64, 32, 17}).find("expected at most 1024 elements of C, and 4096 of A and B") != std::string::npos);
    CHECK(tile({32, 65, 32}).find("expected at most") != std::string::npos);
  }

  TEST_CASE("32.2 steps cover every tile of the product once, and each block of C along K in order") {
    CHECK(rc::check("coverage", [] {
      const GemmProblem problem = random_problem();
      const GemmMapping mapping = random_mapping(problem, random_machine().pe.mac.tile);
      const MappedGemm mapped(problem, mapping);
      const MatrixLayout c{problem.layout, problem.m, problem.n, mapping.tile.m, mapping.tile.n, 0, 256};
      const MatrixLayout a{problem.layout, problem.m, problem.k, mapping.tile.m, mapping.tile.k, 0, 256};
      std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next_k;
      std::int64_t macs = 0;
      for (std::int64_t s = 0; s < mapped.steps(); ++s) {
        const BlockStep step = mapped.at(s);
        RC_ASSERT((next_k[{step.i, step.j}]++) == step.k);
        macs += mapped.c(c, step).matrix.rows * mapped.c(c, step).matrix.columns * mapped.a(a, step).matrix.columns;
      }
      RC_ASSERT(macs == problem.macs());
      for (const auto& [block, count] : next_k) RC_ASSERT(count == mapped.k_blocks());
    }));
  }

  TEST_CASE("32.3 loads are those of a block that is not there; each waits for what its buffer held") {
    CHECK(rc::check("loads", [] {
      const GemmProblem problem = random_problem();
      const GemmMapping mapping = random_mapping(problem, random_machine().pe.mac.tile);
      const MappedGemm mapped(problem, mapping);
      const std::vector<BlockLoad> loads = mapped.loads();
      std::map<std::pair<BlockOf, std::int64_t>, std::int64_t> users;  // of a buffer: the last step that used it
      std::size_t next = 0;
      std::map<BlockOf, std::int64_t> buffer;
      std::map<BlockOf, std::int64_t> count;
      std::map<std::array<std::int64_t, 2>, std::int64_t> stored;  // of a block of C: the last step that added to it
      for (std::int64_t s = 0; s < mapped.steps(); ++s) {
        for (; next < loads.size() && loads[next].step == s; ++next) {
          const BlockLoad& load = loads[next];
          const auto user = users.find({load.what, load.buffer});
          std::int64_t after = user == users.end() ? -1 : user->second;
          if (load.what == BlockOf::kSums) after = std::max(after, stored.at({mapped.at(s).i, mapped.at(s).j}));
          RC_ASSERT(load.after == after);
          buffer[load.what] = load.buffer;
          ++count[load.what];
        }
        for (const auto& [what, number] : buffer) users[{what, number}] = s;
        buffer.erase(BlockOf::kSums);  // are used in one step
        stored[{mapped.at(s).i, mapped.at(s).j}] = s;
      }
      RC_ASSERT(next == loads.size());
      for (const bool of_b : {false, true}) {
        const bool loaded = of_b ? mapping.blocks.b : mapping.blocks.a;
        const std::int64_t counted = count[of_b ? BlockOf::kB : BlockOf::kA];
        RC_ASSERT(counted == (loaded ? counted_loads(mapped, of_b) : 0));
        RC_ASSERT(counted == (of_b ? mapped.loads_of_b() : mapped.loads_of_a()));
      }
      const std::int64_t blocks_of_c = mapped.steps() / mapped.k_blocks();
      RC_ASSERT(mapped.loads_of_sums() == (mapped.sums_in_hbm() ? blocks_of_c * (mapped.k_blocks() - 1) : 0));
      RC_ASSERT(count[BlockOf::kSums] == mapped.loads_of_sums());
    }));
  }

  TEST_CASE("32.20 a product that is added to C loads each block of it once, for its first step along K") {
    CHECK(rc::check([] {
      GemmProblem problem = random_problem();
      problem.dtype_c = Dtype::kFp32;
      GemmMapping mapping = random_mapping(problem, random_machine().pe.mac.tile);
      mapping.sums.place = SumPlace::kTcm;
      if (!mapping.blocks.a && !mapping.blocks.b) mapping.buffers = 1;
      const MappedGemm writes(problem, mapping);
      problem.adds = true;
      const MappedGemm adds(problem, mapping);
      const std::int64_t blocks_of_c = adds.steps() / adds.k_blocks();
      RC_ASSERT(adds.loads_of_sums() == blocks_of_c);
      std::int64_t loads = 0;
      for (const BlockLoad& load : adds.loads()) {
        if (load.what != BlockOf::kSums) continue;
        ++loads;
        RC_ASSERT(MappedGemm::first_along_k(adds.at(load.step)));
        RC_ASSERT(load.after < load.step);
      }
      RC_ASSERT(loads == blocks_of_c);
      RC_ASSERT(adds.traffic() == writes.traffic() + 4 * problem.m * problem.n);
    }));
    const GemmProblem adding{.m = 64, .k = 64, .n = 64, .dtype_c = Dtype::kFp32, .adds = true};
    GemmMapping mapping{.tile = {32, 64, 32}, .block = {64, 64, 64}, .sums = {SumFormat::kFp32, SumPlace::kHbm}};
    CHECK(error_of([&] { static_cast<void>(MappedGemm(adding, mapping)); }) ==
          "mapping: sums fp32@hbm of a product that is added to C: expected them in TCM, without @hbm");
  }

  TEST_CASE("32.3 the innermost loop decides what is brought once, and how many sums are kept") {
    const auto mapped = [](LoopOrder order) {
      return MappedGemm({256, 256, 256}, {.tile = {32, 64, 32}, .block = {64, 128, 32}, .order = order});
    };
    const auto facts = [&](LoopOrder order) {
      const MappedGemm of = mapped(order);
      return std::tuple(of.times_a(), of.times_b(), of.sums().rows, of.sums().columns);
    };
    CHECK(facts(LoopOrder::kMnk) == std::tuple(8, 4, 64, 32));
    CHECK(facts(LoopOrder::kMkn) == std::tuple(1, 4, 64, 256));
    CHECK(facts(LoopOrder::kNkm) == std::tuple(8, 1, 256, 32));
    CHECK(facts(LoopOrder::kKmn) == std::tuple(1, 4, 256, 256));
    CHECK(facts(LoopOrder::kKnm) == std::tuple(8, 1, 256, 256));
    const MappedGemm all_k({256, 256, 256}, {.tile = {32, 64, 32}, .block = {64, 256, 32}});
    CHECK(all_k.times_a() == 1);  // k's one block leaves n innermost
    CHECK(all_k.sums().rows == 0);
  }

  TEST_CASE("32.5 TCM: buffers of the largest blocks, sums of 4 bytes, stages; one byte less is refused") {
    MachineSpec machine = milestone();
    const GemmMapping mapping{.tile = {32, 64, 32}, .block = {64, 128, 96}, .buffers = 2};
    const MappedGemm mapped({256, 256, 192}, mapping);
    const Bytes needed = 2 * 64 * 128 * 2 + 2 * 128 * 96 * 2 + 64 * 96 * 4 + 2 * 32 * 32 * 2;
    CHECK(mapped.tcm(machine) == needed);
    machine.pe.tcm.capacity = needed;
    CHECK(::error_of([&] { check_tcm(mapped, machine); }).empty());
    machine.pe.tcm.capacity = needed - 1;
    CHECK(::error_of([&] { check_tcm(mapped, machine); }).find(": 1 byte is missing; take smaller blocks") !=
          std::string::npos);
    GemmMapping streams = mapping;
    streams.blocks = {false, true};
    CHECK(MappedGemm({256, 256, 192}, streams).tcm(machine) ==
          8 * 32 * 64 * 2 + 2 * 128 * 96 * 2 + 64 * 96 * 4 + 2 * 32 * 32 * 2);
    GemmMapping once = mapping;
    once.block = {64, 256, 192};  // B has one load, and needs one buffer
    CHECK(MappedGemm({256, 256, 192}, once).tcm(machine) == 2 * 64 * 256 * 2 + 256 * 192 * 2 + 2 * 32 * 32 * 2);
  }
}
