// The metrics of a GEMM row, from a run whose every number is worked out by hand.
#include "benches/results/rows/row_from_run.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"

using kernbench::from_ns;
using kernbench::load_machine;
using kernbench::MachineSpec;
using kernbench::row_from_bound;
using kernbench::row_from_run;
using kernbench::RunResult;

namespace {

/// 4096 MACs a cycle at 1 GHz; tiles of 32 x 64 x 32.
MachineSpec machine() {
  MachineSpec spec;
  spec.pe.clock.hertz = 1'000'000'000;
  spec.pe.mac.macs_per_cycle = 4096;
  spec.pe.mac.tile = {32, 64, 32};
  return spec;
}

/// 128 ns on the PE, the last 64 of them the composite; two tiles of which half the MACs are useful.
RunResult run() {
  RunResult result;
  result.pe = {from_ns(2), from_ns(130)};
  result.composite = {from_ns(66), from_ns(130)};
  result.stages = {{"dma_in", "pe0.dma", 2, from_ns(40), from_ns(50), 8192, 0},
                   {"mac", "pe0.mac", 2, from_ns(32), from_ns(33), 0, 65536}};
  result.tiles = 2;
  result.useful_macs = 65536;
  result.hbm_read = 8192;
  result.hbm_written = 2048;
  return result;
}

}  // namespace

TEST_SUITE("ADR-0008") {
  TEST_CASE("8.5 utilisation counts the array's busy time, efficiency the MACs that the problem needs") {
    const auto row = row_from_run(run(), machine(), {.m = 16, .k = 64, .n = 32});
    CHECK(row.metrics.json()["time_ns"] == 128.0);
    CHECK(row.windows["composite_ns"] == 64.0);
    CHECK(row.metrics.json()["mac_util"] == 0.25);                  // 32 of 128 ns: wall-clock, not the 33 of occupancy
    CHECK(row.metrics.json()["mac_util_composite"] == 0.5);         // 32 of 64 ns
    CHECK(row.metrics.json()["useful_eff"] == 0.125);               // 65536 of 4096 x 128
    CHECK(row.metrics.json()["useful_eff_composite"] == 0.25);      // 65536 of 4096 x 64
    CHECK(row.metrics.json()["tflops"] == doctest::Approx(1.024));  // 2 x 65536 in 128 ns
    CHECK(row.metrics.json()["tiles"] == 2);
    CHECK(row.metrics.json()["useful_macs"] == 65536);
    CHECK(row.metrics.json()["hbm_read_bytes"] == 8192);
    CHECK(row.metrics.json()["hbm_written_bytes"] == 2048);
    CHECK(row.windows.dump() == R"({"pe_ns":128.0,"composite_ns":64.0})");
    REQUIRE(row.stages.size() == 2);
    CHECK(row.stages[0].engine == "pe0.dma");
    CHECK(row.stages[0].wall_ns == 40.0);
    CHECK(row.stages[0].busy_ns == 50.0);
    CHECK(row.stages[1].macs == 65536);
  }

  TEST_CASE("8.5 an empty window is a broken run, not an infinite efficiency") {
    RunResult empty = run();
    empty.composite = {from_ns(66), from_ns(66)};
    CHECK_THROWS_AS(row_from_run(empty, machine(), {.m = 32, .k = 64, .n = 32}), std::logic_error);
  }
}

TEST_SUITE("ADR-0007") {
  TEST_CASE("7.5 a theory row holds the bound and the utilisation that an ideal pipeline would reach") {
    // One tile, A loaded first. In ns: load 16, then DMA 16, fetch 16, MAC 16, store 4, DMA out 8.
    const MachineSpec spec = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml").spec;
    const auto row = row_from_bound({.m = 32, .k = 64, .n = 32}, {.a = true, .b = false}, spec);
    CHECK(row.metrics.json()["time_ns"] == 76.0);
    CHECK(row.windows.dump() == R"({"pe_ns":76.0,"composite_ns":60.0})");
    CHECK(row.metrics.json()["mac_util"] == 16.0 / 76.0);
    CHECK(row.metrics.json()["useful_eff"] == 16.0 / 76.0);
    const auto half = row_from_bound({.m = 16, .k = 64, .n = 32}, {.a = true, .b = false}, spec);
    const double half_ns = half.metrics.json()["time_ns"];
    CHECK(half.metrics.json()["mac_util"] == 16.0 / half_ns);  // the array works on the padding as well
    CHECK(half.metrics.json()["useful_eff"] == 8.0 / half_ns);
    CHECK(half.flags == std::vector<std::string>{"under_tile"});
  }
}

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.7 a shape smaller than the tile in any dimension is flagged under_tile") {
    const auto flagged = [](std::int64_t m, std::int64_t k, std::int64_t n) {
      return row_from_run(run(), machine(), {.m = m, .k = k, .n = n}).flags == std::vector<std::string>{"under_tile"};
    };
    CHECK(flagged(31, 64, 32));
    CHECK(flagged(32, 63, 32));
    CHECK(flagged(32, 64, 31));
    CHECK_FALSE(flagged(32, 64, 32));
    CHECK_FALSE(flagged(33, 65, 33));  // an edge tile that is not full, in a problem that is larger than a tile
  }

  TEST_CASE("9.7 a row says what it was tiled by") {
    const auto row = row_from_run(run(), machine(), {.m = 32, .k = 64, .n = 48});
    CHECK(row.metrics.json()["tile_m"] == 32);
    CHECK(row.metrics.json()["tile_k"] == 64);
    CHECK(row.metrics.json()["tile_n"] == 32);
  }
}

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.4 a theory row on a foreign memory is skipped, with the reason") {
    MachineSpec spec = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml").spec;
    spec.die.hbm.model = "tlm_simple";
    const auto row = row_from_bound({.m = 32, .k = 64, .n = 32}, {.a = true, .b = false}, spec);
    CHECK(row.status == "skipped");
    CHECK(row.reason == "no exact bound: die.hbm.model is tlm_simple");
    CHECK(row.metrics.json().empty());
  }
}

TEST_SUITE("ADR-0031") {
  TEST_CASE("31.8 an array of cells is used by the share of its cells' MACs, whatever it was at work") {
    MachineSpec cells = machine();
    cells.pe.mac.macs_per_cycle = 0;
    cells.pe.mac.rows = 64;
    cells.pe.mac.columns = 16;
    cells.pe.mac.depth = 2;
    const auto row = row_from_run(run(), cells, {.m = 16, .k = 64, .n = 32});
    CHECK(row.metrics.json()["mac_util"] == 0.25);    // 32 of 128 ns
    CHECK(row.metrics.json()["useful_eff"] == 0.25);  // 65536 of 2048 x 128
  }
}
