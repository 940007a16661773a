// What holds for every run on every machine: more is not slower, nothing beats its bound, nothing is lost.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "sim/plan/gemm_bound.hpp"
#include "sim/system/kernel.hpp"
#include "tests/system/calculator_layout.hpp"
#include "tests/system/compared.hpp"
#include "tests/system/random_case.hpp"

namespace kernbench {
namespace {

using calculator::Outcome;
using calculator::Time;

Time composite_of(const Outcome& outcome) { return outcome.composite_end - outcome.composite_start; }
Time pe_of(const Outcome& outcome) { return outcome.pe_end - outcome.pe_start; }

/// By how much a window is longer on a machine with more of one thing; 0 or less where neither is.
Time loss(const Case& before, const Setting& improvement) {
  Case after = before;
  after.set(improvement.key, improvement.value);
  const Outcome less = simulated(before.machine(), before.run);
  const Outcome more = simulated(after.machine(), after.run);
  return std::max(composite_of(more) - composite_of(less), pe_of(more) - pe_of(less));
}

std::vector<calculator::Packet> output_packets(const MachineSpec& machine, const calculator::Run& run) {
  const TileShape& tile = machine.pe.mac.tile;
  const calculator::Matrix c{0, run.m, run.n, tile.m, tile.n, run.row_major, machine.die.hbm.burst};
  std::vector<calculator::Packet> all;
  for (std::int64_t i = 0; i * tile.m < run.m; ++i) {
    for (std::int64_t j = 0; j * tile.n < run.n; ++j) {
      for (const calculator::Packet& packet : calculator::packets_of({c.tile(i, j)}, machine)) all.push_back(packet);
    }
  }
  return all;
}

GemmProblem problem_of_run(const calculator::Run& run) {
  return {run.m, run.k, run.n, run.row_major ? Layout::kRowMajor : Layout::kBlocked};
}

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.14 more is never slower where no read meets a write") {
    CHECK(rc::check([] {
      Case any = any_case(4);
      if (*rc::gen::arbitrary<bool>()) {
        any.run.variant = "load_load";
      } else {  // one output tile
        any.run.m = std::min(any.run.m, any.machine().pe.mac.tile.m);
        any.run.n = std::min(any.run.n, any.machine().pe.mac.tile.n);
      }
      const Setting improvement = any_improvement(any.machine());
      RC_LOG() << any << "\nand then " << improvement.key << '=' << improvement.value << '\n';
      RC_ASSERT(loss(any, improvement) <= 0);
    }));
  }

  TEST_CASE("5.14 elsewhere more costs at most what the writes occupy pseudo-channels") {
    CHECK(rc::check([] {
      Case any = any_case(4);
      any.run.variant = *rc::gen::element<std::string>("ref_ref", "load_ref");
      std::int64_t bursts = 0;
      Time occupied = 0;
      const HbmSpec hbm = any.machine().die.hbm;
      for (const calculator::Packet& packet : output_packets(any.machine(), any.run)) {
        bursts += packet.bursts;
        occupied += packet.bursts * hbm.burst_time().value +
                    std::min(packet.bursts, hbm.pseudo_channels) * 2 * hbm.turnaround.value;
      }
      any.set("pe.dma.outstanding_bursts", std::max(bursts, any.machine().pe.dma.outstanding_bursts));
      const Setting improvement = any_improvement(any.machine());
      RC_LOG() << any << "\nand then " << improvement.key << '=' << improvement.value << '\n';
      RC_ASSERT(loss(any, improvement) <= occupied);
    }));
  }

  TEST_CASE("5.14 a faster store can cost time where an earlier write gets before a read") {
    // A controller that gathers nothing puts a write on its channel when it comes.
    const Case before{{{"die.hbm.write_batch", "1"}, {"die.hbm.turnaround", "0 ns"}}, {32, 64, 128, true, "load_ref"}};
    CHECK(loss(before, {"pe.store_bandwidth", "1024 GB/s"}) > 0);
  }
}

TEST_SUITE("ADR-0007") {
  TEST_CASE("7.6 no run beats its bound") {
    CHECK(rc::check([] {
      const Case any = any_case(4);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const GemmBound bound = gemm_bound(problem_of_run(any.run), find_gemm_kernel(any.run.variant).residency, machine);
      const Outcome outcome = simulated(machine, any.run);
      RC_ASSERT(composite_of(outcome) >= bound.composite.value);
      RC_ASSERT(pe_of(outcome) >= bound.pe.value);
    }));
  }
}

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.7 bytes that go in are those the plan needs, bytes that come out are those of C") {
    CHECK(rc::check([] {
      const Case any = any_case(4);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const calculator::Run& run = any.run;
      const TileShape& tile = machine.pe.mac.tile;
      const Outcome outcome = simulated(machine, run);
      const auto stage = [&](const char* name) {
        const auto found = outcome.stages.find(name);
        return found == outcome.stages.end() ? calculator::Stage{} : found->second;
      };
      const std::int64_t mt = ceil_div(run.m, tile.m);
      const std::int64_t kt = ceil_div(run.k, tile.k);
      const std::int64_t nt = ceil_div(run.n, tile.n);
      const std::int64_t tiles = mt * kt * nt;
      const Bytes a = run.m * run.k * 2;
      const Bytes b = run.k * run.n * 2;
      const Bytes c = run.m * run.n * 2;
      const bool loads_a = run.variant != "ref_ref";
      const bool loads_b = run.variant == "load_load";

      RC_ASSERT(stage("load").bytes == (loads_a ? a : 0) + (loads_b ? b : 0));
      RC_ASSERT(stage("dma_in").bytes == (loads_a ? 0 : nt * a) + (loads_b ? 0 : mt * b));
      RC_ASSERT(stage("fetch").bytes == nt * a + mt * b);
      RC_ASSERT(stage("store").bytes == c);
      RC_ASSERT(stage("dma_out").bytes == c);
      RC_ASSERT(outcome.hbm_read == stage("load").bytes + stage("dma_in").bytes);
      RC_ASSERT(outcome.hbm_written == c);
      RC_ASSERT(stage("mac").macs ==
                (machine.pe.mac.has_shape() ? run.m * run.k * run.n : tiles * tile.m * tile.k * tile.n));

      RC_ASSERT(stage("load").records == (loads_a ? 1 : 0) + (loads_b ? 1 : 0));
      RC_ASSERT(stage("dma_in").records == tiles * ((loads_a ? 0 : 1) + (loads_b ? 0 : 1)));
      for (const char* per_tile : {"schedule", "fetch", "mac"}) RC_ASSERT(stage(per_tile).records == tiles);
      for (const char* per_output : {"store", "dma_out"}) RC_ASSERT(stage(per_output).records == mt * nt);
    }));
  }
}

}  // namespace
}  // namespace kernbench
