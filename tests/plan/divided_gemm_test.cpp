// GEMMs on PEs that share nothing: how C is cut, and what no run beats.
#include "sim/plan/divided_gemm.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "sim/base/checked.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::int64_t tiles_of(const GemmProblem& part, const TileShape& tile) {
  return ceil_div(part.m, tile.m) * ceil_div(part.n, tile.n);
}

}  // namespace

TEST_SUITE("ADR-0045") {
  TEST_CASE("45.2 parts by hand: whole tiles, the last one what is left, PEs without a part") {
    const TileShape tile{32, 64, 32};
    const DividedGemm square = divide_gemm({.m = 1024, .k = 512, .n = 1024}, tile, 256);
    CHECK(square.rows == 16);
    CHECK(square.columns == 16);
    REQUIRE(square.parts.size() == 1);
    CHECK(square.largest().m == 64);
    CHECK(square.largest().k == 512);
    CHECK(square.parts.front().count == 256);
    const DividedGemm ragged =
        divide_gemm({.m = 100, .k = 7, .n = 70}, tile, 8);  // 4 x 3 tiles: 2 x 3 parts of 2, as 4 x 2
    CHECK(ragged.rows == 2);
    CHECK(ragged.columns == 3);
    REQUIRE(ragged.parts.size() == 4);
    CHECK(ragged.largest().m == 64);
    CHECK(ragged.largest().n == 32);
    CHECK(ragged.parts.front().count == 2);
    CHECK(ragged.parts.back().problem.m == 36);
    CHECK(ragged.parts.back().problem.n == 6);
    CHECK(divide_gemm({.m = 1, .k = 8192, .n = 8192}, tile, 256).columns == 256);
    CHECK(divide_gemm({.m = 256, .k = 256, .n = 256}, tile, 256).pes() == 64);
    CHECK(divide_gemm({.m = 500, .k = 256, .n = 500, .dtype = Dtype::kFp32}, tile, 1).largest().dtype == Dtype::kFp32);
    CHECK(::error_of([&] { (void)divide_gemm({.m = 0, .k = 1, .n = 1}, tile, 4); }).find("m") != std::string::npos);
  }

  TEST_CASE("45.2 parts are all of C, on no more than the PEs, and no other cut has a smaller largest part") {
    CHECK(rc::check("parts of C", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const GemmProblem problem{.m = up_to(400), .k = up_to(100), .n = up_to(400)};
      const TileShape tile{up_to(40), 8, up_to(40)};
      const std::int64_t pes = up_to(40);
      const DividedGemm divided = divide_gemm(problem, tile, pes);
      std::int64_t elements = 0;
      std::int64_t parts = 0;
      for (const GemmPart& part : divided.parts) {
        elements += part.count * part.problem.m * part.problem.n;
        parts += part.count;
        RC_ASSERT(part.problem.k == problem.k);
        RC_ASSERT(tiles_of(part.problem, tile) <= tiles_of(divided.largest(), tile));
      }
      RC_ASSERT(elements == problem.m * problem.n);
      RC_ASSERT(parts == divided.pes());
      RC_ASSERT(parts <= pes);
      for (std::int64_t rows = 1; rows <= pes; ++rows) {
        const std::int64_t m = ceil_div(ceil_div(problem.m, tile.m), rows);
        const std::int64_t n = ceil_div(ceil_div(problem.n, tile.n), pes / rows);
        RC_ASSERT(tiles_of(divided.largest(), tile) <= m * n);
      }
    }));
  }

  TEST_CASE("45.5 the bound by hand: each resource, and dtypes") {
    const MachineSpec machine = milestone();
    const auto bound = [&](const GemmProblem& problem) {
      return divided_gemm_bound(divide_gemm(problem, machine.pe.mac.tile, 1), machine);
    };
    const DividedGemmBound square = bound({.m = 1024, .k = 1024, .n = 1024});
    CHECK(square.resource == "mac");
    CHECK(square.time == Picoseconds{262144 * 1000LL});  // 2^30 MACs / 4096 a ns
    CHECK(bound({.m = 1024, .k = 1024, .n = 1024, .dtype = Dtype::kFp32}).time == Picoseconds{4 * 262144 * 1000LL});
    const DividedGemmBound row = bound({.m = 1, .k = 1024, .n = 1024});
    CHECK(row.resource == "dma_in");
    CHECK(row.time == Picoseconds{(1024 + 1024 * 1024) * 2 * 1000LL / 256});
    const DividedGemmBound outer = bound({.m = 4096, .k = 1, .n = 4096});
    CHECK(outer.resource == "dma_out");
    CHECK(outer.time == Picoseconds{4096 * 4096 * 2 * 1000LL / 256});
    MachineSpec slow = machine;
    slow.die.hbm.bandwidth = Bandwidth{32'000'000'000};
    const DividedGemmBound memory =
        divided_gemm_bound(divide_gemm({.m = 32, .k = 1024, .n = 32}, slow.pe.mac.tile, 1), slow);
    CHECK(memory.resource == "hbm");
    CHECK(memory.time == Picoseconds{2 * 32 * 1024 * 2 * 1000LL / 32});  // C waits in the write queues
    MachineSpec without = machine;
    without.pe.mac.rates = MacRates{};
    CHECK(::error_of([&] {
            (void)divided_gemm_bound(
                divide_gemm({.m = 8, .k = 8, .n = 8, .dtype = Dtype::kFp32}, without.pe.mac.tile, 1), without);
          }).find("pe.mac.rates.fp32") != std::string::npos);
  }
}
