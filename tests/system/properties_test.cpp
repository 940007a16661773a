// What holds for every run on every machine: more is not slower, nothing beats its bound, nothing is lost.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/plan/gemm_bound.hpp"
#include "sim/system/kernel.hpp"
#include "tests/system/random_case.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench {
namespace {

/// By how much a window is longer on a machine with more of one thing; 0 or less where neither is.
Picoseconds loss(const Case& before, const Setting& improvement) {
  Case after = before;
  after.set(improvement.key, improvement.value);
  const RunResult less = totals_of_gemm(before.machine(), before.problem, before.variant);
  const RunResult more = totals_of_gemm(after.machine(), after.problem, after.variant);
  return std::max(more.composite.length() - less.composite.length(), more.pe.length() - less.pe.length());
}

std::vector<Packet> output_packets(const MachineSpec& machine, const GemmProblem& problem) {
  const MatrixLayout c = place_gemm(problem, machine).c;
  std::vector<Packet> all;
  for (std::int64_t i = 0; i < c.row_tiles(); ++i) {
    for (std::int64_t j = 0; j < c.column_tiles(); ++j) {
      PacketCursor cursor(c.tile(i, j), c.burst, machine.simulation.packet / c.burst);
      for (Packet packet; cursor.next(packet);) all.push_back(packet);
    }
  }
  return all;
}

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.14 more is never slower where no read meets a write") {
    CHECK(rc::check([] {
      Case any = any_case(4);
      if (*rc::gen::arbitrary<bool>()) {
        any.variant = "load_load";
      } else {  // one output tile
        any.problem.m = std::min(any.problem.m, any.machine().pe.mac.tile.m);
        any.problem.n = std::min(any.problem.n, any.machine().pe.mac.tile.n);
      }
      const Setting improvement = any_improvement(any.machine());
      RC_LOG() << any << "\nand then " << improvement.key << '=' << improvement.value << '\n';
      RC_ASSERT(loss(any, improvement) <= Picoseconds{});
    }));
  }

  TEST_CASE("5.14 elsewhere more costs at most what the writes occupy pseudo-channels") {
    CHECK(rc::check([] {
      Case any = any_case(4);
      any.variant = *rc::gen::element<std::string>("ref_ref", "load_ref");
      std::int64_t bursts = 0;
      Picoseconds occupied;
      const HbmSpec hbm = any.machine().die.hbm;
      for (const Packet& packet : output_packets(any.machine(), any.problem)) {
        bursts += packet.bursts;
        occupied +=
            packet.bursts * hbm.burst_time() + 2 * std::min(packet.bursts, hbm.pseudo_channels) * hbm.turnaround;
      }
      any.set("pe.dma.outstanding_bursts", std::max(bursts, any.machine().pe.dma.outstanding_bursts));
      const Setting improvement = any_improvement(any.machine());
      RC_LOG() << any << "\nand then " << improvement.key << '=' << improvement.value << '\n';
      RC_ASSERT(loss(any, improvement) <= occupied);
    }));
  }

  TEST_CASE("5.14 a faster store can cost time where an earlier write gets before a read") {
    // A controller that gathers nothing puts a write on its channel when it comes.
    const Case before{{{"die.hbm.write_batch", "1"}, {"die.hbm.turnaround", "0 ns"}},
                      {.m = 32, .k = 64, .n = 128, .layout = Layout::kRowMajor},
                      "load_ref"};
    CHECK(loss(before, {"pe.store_bandwidth", "1024 GB/s"}) > Picoseconds{});
  }
}

TEST_SUITE("ADR-0007") {
  TEST_CASE("7.6 no run beats its bound") {
    CHECK(rc::check([] {
      const Case any = any_case(4);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const GemmBound bound = gemm_bound(any.problem, find_gemm_kernel(any.variant).residency, machine);
      const RunResult result = totals_of_gemm(machine, any.problem, any.variant);
      RC_ASSERT(result.composite.length() >= bound.composite);
      RC_ASSERT(result.pe.length() >= bound.pe);
    }));
  }
}

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.7 bytes that go in are those the plan needs, bytes that come out are those of C") {
    CHECK(rc::check([] {
      const Case any = any_case(4);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const auto [m, k, n] = std::array{any.problem.m, any.problem.k, any.problem.n};
      const TileShape& tile = machine.pe.mac.tile;
      const RunResult result = totals_of_gemm(machine, any.problem, any.variant);
      const auto stage = [&](const char* name) {
        const auto found = std::ranges::find(result.stages, std::string_view(name), &StageTotals::stage);
        return found == result.stages.end() ? StageTotals{} : *found;
      };
      const std::int64_t mt = ceil_div(m, tile.m);
      const std::int64_t kt = ceil_div(k, tile.k);
      const std::int64_t nt = ceil_div(n, tile.n);
      const std::int64_t tiles = mt * kt * nt;
      const Bytes a = m * k * 2;
      const Bytes b = k * n * 2;
      const Bytes c = m * n * 2;
      const bool loads_a = any.variant != "ref_ref";
      const bool loads_b = any.variant == "load_load";

      RC_ASSERT(stage("load").bytes == (loads_a ? a : 0) + (loads_b ? b : 0));
      RC_ASSERT(stage("dma_in").bytes == (loads_a ? 0 : nt * a) + (loads_b ? 0 : mt * b));
      RC_ASSERT(stage("fetch").bytes == nt * a + mt * b);
      RC_ASSERT(stage("store").bytes == c);
      RC_ASSERT(stage("dma_out").bytes == c);
      RC_ASSERT(result.hbm_read == stage("load").bytes + stage("dma_in").bytes);
      RC_ASSERT(result.hbm_written == c);
      RC_ASSERT(stage("mac").macs == (machine.pe.mac.has_shape() ? m * k * n : tiles * tile.m * tile.k * tile.n));

      RC_ASSERT(stage("load").records == (loads_a ? 1 : 0) + (loads_b ? 1 : 0));
      RC_ASSERT(stage("dma_in").records == tiles * ((loads_a ? 0 : 1) + (loads_b ? 0 : 1)));
      for (const char* per_tile : {"schedule", "fetch", "mac"}) RC_ASSERT(stage(per_tile).records == tiles);
      for (const char* per_output : {"store", "dma_out"}) RC_ASSERT(stage(per_output).records == mt * nt);
    }));
  }
}

}  // namespace
}  // namespace kernbench
