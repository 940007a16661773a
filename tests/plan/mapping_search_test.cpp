// The search over mappings: all that fit are ranked, and traffic stands beside the least there can be.
#include "sim/plan/mapping_search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/mapping_tiles.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.8 mappings are ranked by estimate, work of the array, traffic, steps; what is asked for is kept") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 128 << 10;
    const GemmProblem problem{256, 256, 256};
    const MappingSearch search = search_mappings(problem, machine, {});
    CHECK(static_cast<std::int64_t>(search.best.size()) < search.tried);
    for (std::size_t i = 0; i + 1 < search.best.size(); ++i) {
      const RankedMapping& one = search.best[i];
      const RankedMapping& next = search.best[i + 1];
      REQUIRE(std::tuple(one.estimate, one.array, one.traffic, one.steps, one.tcm) <=
              std::tuple(next.estimate, next.array, next.traffic, next.steps, next.tcm));
      REQUIRE(one.tcm <= machine.pe.tcm.capacity);
      REQUIRE(one.bound <= one.estimate);
    }
    MappingRequest request;
    request.block = TileShape{64, 128, 64};
    request.order = LoopOrder::kNmk;
    request.buffers = 2;
    for (const RankedMapping& ranked : search_mappings(problem, machine, request).best) {
      CHECK(ranked.mapping.block == *request.block);
      CHECK(ranked.mapping.order == LoopOrder::kNmk);
      CHECK(ranked.mapping.buffers == 2);
    }
  }

  TEST_CASE("32.8 traffic is each operand as often as it is read, and the output once") {
    const MachineSpec machine = milestone();
    const GemmProblem problem{64, 128, 96};
    const std::vector<RankedMapping> ranked = search_mappings(problem, machine, {}).best;
    const auto traffic = [&](const Residency& loaded) {
      return std::ranges::find(ranked, whole_mapping(problem, machine.pe.mac.tile, loaded), &RankedMapping::mapping)
          ->traffic;
    };
    // Tiles of 32 x 64 x 32: 2 rows of them read B, 3 columns read A.
    CHECK(traffic({}) == (3 * 64 * 128 + 2 * 128 * 96 + 64 * 96) * 2);
    CHECK(traffic({true, false}) == (64 * 128 + 2 * 128 * 96 + 64 * 96) * 2);
    CHECK(traffic({true, true}) == (64 * 128 + 128 * 96 + 64 * 96) * 2);
  }

  TEST_CASE("32.8 the staging variants are among them, and nothing that is tried is better than the first") {
    CHECK(rc::check("first", [] {
      MachineSpec machine = random_machine();
      const GemmProblem problem = random_problem();
      const MappingSearch search = search_mappings(problem, machine, {});
      for (const Residency& loaded : {Residency{}, Residency{true, false}, Residency{true, true}}) {
        const GemmMapping variant = whole_mapping(problem, machine.pe.mac.tile, loaded);
        const auto found = std::ranges::find(search.best, variant, &RankedMapping::mapping);
        RC_ASSERT(found != search.best.end());
        RC_ASSERT(found->bound == gemm_bound(problem, loaded, machine).pe);
        RC_ASSERT(search.best.front().estimate <= found->estimate);
      }
      const GemmMapping any = random_mapping(problem, machine.pe.mac.tile);
      const MappingSearch one =
          search_mappings(problem, machine, {any.tile, any.block, any.order, any.blocks, any.buffers, any.sums});
      RC_ASSERT(one.best.size() == 1);
      RC_ASSERT(one.best.front().mapping == any);
    }));
  }

  TEST_CASE(
      "32.12 candidates are tiles that the registers carry, of at least a quarter of its outputs, pe.mac.tile first") {
    using Tiles = std::vector<TileShape>;
    const TileShape tile{32, 64, 32};
    // Wider than the problem only where the tile is; k is the deepest with (m + n) k up to 4096 elements.
    CHECK(candidate_tiles({32, 64, 32}, tile) ==
          Tiles{{32, 64, 32}, {32, 64, 16}, {32, 64, 8}, {16, 64, 32}, {16, 64, 16}, {8, 64, 32}});
    CHECK(candidate_tiles({64, 128, 32}, tile) == Tiles{{32, 64, 32},
                                                        {64, 32, 16},
                                                        {64, 32, 8},
                                                        {64, 32, 4},
                                                        {32, 64, 16},
                                                        {32, 64, 8},
                                                        {16, 64, 32},
                                                        {16, 128, 16},
                                                        {8, 64, 32}});
    CHECK(rc::check("carried", [] {
      const MachineSpec machine = random_machine();
      const GemmProblem problem{random_size(300), random_size(300), random_size(300)};
      const TileShape& most = machine.pe.mac.tile;
      const Tiles tiles = candidate_tiles(problem, most);
      RC_ASSERT(tiles.front() == most);
      RC_ASSERT(std::ranges::count(tiles, most) == 1);
      for (const TileShape& one : tiles) {
        RC_ASSERT(with_tile(machine, one).pe.mac.tile == one);
        RC_ASSERT(4 * one.m * one.n >= most.m * most.n);
        RC_ASSERT(one.m < 2 * std::max(most.m, problem.m));
        RC_ASSERT(one.n < 2 * std::max(most.n, problem.n));
        RC_ASSERT(one.k < 2 * std::max(most.k, problem.k));
      }
    }));
  }

  TEST_CASE("32.12 a tile in whose layout the matrices have no room is left out, and the others are searched") {
    const GemmProblem problem{65, 64, 32};
    MachineSpec machine = milestone();
    const GemmMatrices placed = place_gemm(problem, machine);  // 96 rows of tiles
    const Bytes stripe = machine.die.hbm.burst * machine.die.hbm.pseudo_channels;
    machine.die.hbm.capacity = ceil_div(placed.c.base + placed.c.room(), stripe) * stripe;
    const TileShape larger{128, 16, 8};
    const std::vector<TileShape> candidates = candidate_tiles(problem, machine.pe.mac.tile);
    REQUIRE(std::ranges::find(candidates, larger) != candidates.end());
    CHECK(::error_of([&] { (void)place_gemm(problem, with_tile(machine, larger)); }).find("die.hbm.capacity") !=
          std::string::npos);
    CHECK(search_mappings(problem, machine, {}).best.size() > 0);
  }

  TEST_CASE("32.13 the estimate: first loads, calls, latency, and tiles that are streamed a few at a time") {
    MachineSpec machine = milestone();
    machine.die.hbm.read_latency = from_ns(1000);
    machine.pe.dma.outstanding_bursts = 1024;
    const GemmProblem problem{64, 128, 64};
    const auto estimate = [&](const std::string& map) {
      return search_mappings(problem, machine,
                             parse_mapping("tile=32x64x32 block=64x128x64 buffers=1 order=mnk " + map, "test"))
          .best.at(0);
    };
    // A call 2 ns, latency = the DMA's setup and 1000 ns; 8 tiles of 2 x 4096 B at 256 GB/s, stream_depth at a time.
    const Picoseconds latency = machine.pe.dma.setup + from_ns(1000);
    const std::int64_t rounds = ceil_div(8, machine.pe.stream_depth);
    CHECK(estimate("stream=ab").estimate ==
          (2 + 1 + 1) * machine.pe.control + latency + rounds * (latency + from_ns(32)));
    CHECK(estimate("stream=none").estimate ==
          estimate("stream=none").bound + (2 * 2 + 1 + 1) * machine.pe.control + latency);
  }

  TEST_CASE("32.13 the estimate: no more is under way than DMA credits") {
    const MachineSpec machine = milestone({"pe.dma.outstanding_bursts=4"});
    const GemmProblem problem{64, 128, 64};
    const RankedMapping ranked =
        search_mappings(problem, machine, parse_mapping("tile=32x64x32 block=64x128x64 stream=ab", "test")).best.at(0);
    // A and B twice, 65,536 B; 4 x 256 B in the 45.06 ns of two ways, a burst on its channel, latency, and a link.
    const Picoseconds round_trip{2 * 2030 + 8000 + 32'000 + 1000};
    const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
    CHECK(ranked.estimate == 64 * round_trip + latency + (2 + 1 + 1) * machine.pe.control);
  }

  TEST_CASE("32.13 the estimate: in a systolic array results hold their accumulators until they have left it") {
    MachineSpec machine = milestone();
    machine.pe.mac.rows = machine.pe.mac.columns = 32;
    machine.pe.mac.depth = 4;
    machine.pe.mac.dataflow = Dataflow::kWeightStationary;
    machine.pe.mac.weight_buffers = 2;
    machine.pe.mac.accumulators = 1;
    machine.pe.vector.latency_cycles = 0;
    const GemmProblem problem{64, 256, 64};
    const auto found = search_mappings(
        problem, machine, parse_mapping("tile=32x64x32 block=64x64x64 buffers=2 order=mnk stream=none", "test"));
    const RankedMapping& ranked = found.best.at(0);
    // 4 outputs in 4 blocks along K; R + c − 2 = 62 cycles of drain (31.6) for each.
    const MachineSpec tiled = with_tile(machine, ranked.mapping.tile);
    const GemmBound bound = gemm_bound(MappedGemm(problem, ranked.mapping), tiled);
    REQUIRE(bound.bottleneck() == "accumulators");
    const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
    CHECK(ranked.estimate ==
          bound.pe + machine.pe.clock.time_for(4 * 4 * 62) + latency + (2 * 2 + 1 + 1) * machine.pe.control);
  }

  TEST_CASE("32.5 a block that does not fit: the largest one that does is named, and fits") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 160 << 10;
    const GemmProblem problem{256, 256, 256};
    MappingRequest request = parse_mapping("tile=32x64x32 block=256x256x256 stream=none buffers=1", "test");
    const std::string told = ::error_of([&] { (void)search_mappings(problem, machine, request); });
    const std::string before = "that fits is block=";
    REQUIRE(told.find(before) != std::string::npos);
    const std::string block = told.substr(told.find(before) + before.size());
    const TileShape largest = *parse_mapping("block=" + block.substr(0, block.find(' ')), "test").block;
    request.block = largest;
    CHECK_FALSE(search_mappings(problem, machine, request).best.empty());
    request.block.reset();
    for (const RankedMapping& other : search_mappings(problem, machine, request).best) {
      const TileShape& of = other.mapping.block;
      CHECK(of.m * of.k * of.n <= largest.m * largest.k * largest.n);
    }
  }

  TEST_CASE("32.8 where nothing fits the error says what is missing") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 1 << 10;
    CHECK(::error_of([&] {
            (void)search_mappings({256, 256, 256}, machine, {});
          }).find("bytes are missing") != std::string::npos);
  }

  TEST_CASE("32.9 least traffic: 2 m n k / sqrt(S) - 2 S elements, and each matrix once") {
    CHECK(least_traffic({4096, 4096, 4096}, 1 << 20) ==
          doctest::Approx(2 * (2 * std::pow(4096.0, 3) / std::sqrt(524288.0) - 2 * 524288.0)));
    CHECK(least_traffic({64, 64, 64}, 1 << 20) == 2.0 * 3 * 64 * 64);
  }
}
