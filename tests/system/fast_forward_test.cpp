// Runs that are counted on where they repeat themselves, against the same runs tile by tile.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/system/random_case.hpp"
#include "tests/system/told.hpp"

namespace kernbench {
namespace {

Told gemm_told(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
               const RunSettings& settings) {
  return told([&](const RunSettings& with) { return run_gemm(machine, problem, variant, with); }, settings);
}

/// Both ways of one run say the same; returns how many tiles were passed over.
std::int64_t same_both_ways(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant) {
  const Told counted = gemm_told(machine, problem, variant, {});
  const Told simulated = gemm_told(machine, problem, variant, {.fast_forward = false});
  CHECK(simulated.passed_over == 0);
  CHECK(counted.all == simulated.all);
  return counted.passed_over;
}

/// What the kernel below has been told.
Picoseconds told_time;

/// As ref_ref, but one that looks at the time.
Process watched(KernelPe pe, GemmCall gemm) {
  const Operand a = co_await pe.ref(gemm.matrices.a);
  const Operand b = co_await pe.ref(gemm.matrices.b);
  told_time = co_await pe.wait(co_await pe.composite(gemm, a, b));
}

MachineSpec with_room() {
  Case milestone;
  milestone.set("die.hbm.capacity", "4 GiB");
  return milestone.machine();
}

TEST_SUITE("ADR-0047") {
  TEST_CASE("47.1 all that a run says is what it says tile by tile") {
    struct Shape {
      std::int64_t m, k, n;
      const char* variant;
      Layout layout = Layout::kBlocked;
      const char* epilogues = "";
    };
    for (const Shape& shape : {Shape{1024, 1024, 1024, "ref_ref"},
                               {2048, 1024, 3000, "ref_ref"},
                               {128, 8192, 64, "ref_ref"},
                               {500, 300, 700, "load_load"},
                               {1024, 512, 1024, "load_ref", Layout::kRowMajor},
                               {1024, 1024, 1024, "ref_ref", Layout::kBlocked, "bias,gelu,scale@k_tile"},
                               {1024, 1024, 1024, "load_load", Layout::kBlocked, "bias,gelu,scale@k_tile"}}) {
      CAPTURE(shape.m);
      CAPTURE(std::string(shape.variant));
      const GemmProblem problem{.m = shape.m,
                                .k = shape.k,
                                .n = shape.n,
                                .layout = shape.layout,
                                .epilogues = parse_epilogues(shape.epilogues)};
      CHECK(same_both_ways(with_room(), problem, shape.variant) > 0);
    }
  }

  TEST_CASE("47.4 so many tiles are simulated, as docs/performance.md has it") {
    const auto simulated = [](std::int64_t size, const char* variant) {
      const Told counted = gemm_told(with_room(), {.m = size, .k = size, .n = size}, variant, {});
      return size / 32 * (size / 64) * (size / 32) - counted.passed_over;
    };
    CHECK(simulated(512, "ref_ref") == 768);
    CHECK(simulated(512, "load_ref") == 768);
    CHECK(simulated(512, "load_load") == 352);
    CHECK(simulated(1024, "ref_ref") == 3072);
    CHECK(simulated(1024, "load_ref") == 3072);
    CHECK(simulated(1024, "load_load") == 592);
    CHECK(simulated(2048, "ref_ref") == 6640);
    CHECK(simulated(4096, "ref_ref") == 6640);
  }

  TEST_CASE("47.1 on any machine, for any shape and layout") {
    CHECK(rc::check([] {
      Case any = any_case(1);
      if (*rc::gen::inRange(0, 3) == 0) set_any_dtype(any);
      any.set("die.hbm.capacity", "4 GiB");
      any.set("pe.tcm.capacity", "64 MiB");
      // Up to some thousand tiles of the machine's own, one or two of the loops long.
      const TileShape tile = any.machine().pe.mac.tile;
      const auto tiles = [] {
        return *rc::gen::weightedOneOf<int>({{2, rc::gen::inRange(1, 7)}, {1, rc::gen::inRange(12, 80)}});
      };
      std::array<int, 3> counts{};
      for (int& count : counts) count = tiles();
      while (counts[0] * counts[1] * counts[2] > 12'000) *std::ranges::max_element(counts) /= 2;
      const auto elements = [](int count, std::int64_t of_tile) {
        const bool whole = *rc::gen::arbitrary<bool>();
        return count * of_tile - (whole ? 0 : *rc::gen::inRange<std::int64_t>(0, of_tile));
      };
      any.problem.m = elements(counts[0], tile.m);
      any.problem.k = elements(counts[1], tile.k);
      any.problem.n = elements(counts[2], tile.n);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const Told counted = gemm_told(machine, any.problem, any.variant, {});
      RC_CLASSIFY(counted.passed_over > 0, "counted on");
      RC_ASSERT(counted.all == gemm_told(machine, any.problem, any.variant, {.fast_forward = false}).all);
    }));
  }

  TEST_CASE("47.6 paths that go round through several credits, or never meet") {
    struct Tight {
      std::int64_t m, k, n;
      const char* variant;
      std::vector<Setting> settings;
    };
    const std::string credits = "pe.dma.outstanding_bursts";
    const std::string hbm = "die.hbm.bandwidth";
    for (const Tight& run :
         {Tight{1,
                1600,
                128,
                "load_ref",
                {{credits, "3"}, {hbm, "2 TB/s"}, {"pe.mac.tile.k", "16"}, {"pe.mac.tile.n", "8"}}},
          {1,
           1600,
           128,
           "load_ref",
           {{credits, "4"}, {hbm, "1 TB/s"}, {"pe.mac.tile.k", "16"}, {"pe.mac.tile.n", "8"}}},
          {1, 1600, 64, "load_ref", {{credits, "3"}, {hbm, "2 TB/s"}, {"pe.mac.tile.k", "16"}, {"pe.mac.tile.n", "8"}}},
          {1,
           400,
           512,
           "load_ref",
           {{credits, "4"}, {hbm, "512 GB/s"}, {"pe.mac.tile.k", "8"}, {"pe.mac.tile.n", "4"}}},
          {32,
           2048,
           256,
           "load_ref",
           {{credits, "5"}, {hbm, "1 TB/s"}, {"pe.mac.tile.k", "32"}, {"pe.mac.tile.n", "4"}}},
          {1, 4096, 256, "ref_ref", {{credits, "12"}, {hbm, "1 TB/s"}, {"pe.mac.tile.n", "4"}, {"pe.mac.tile.m", "1"}}},
          {1,
           400,
           256,
           "ref_ref",
           {{credits, "12"},
            {hbm, "4 TB/s"},
            {"die.router.link_bandwidth", "1 TB/s"},
            {"pe.mac.tile.k", "8"},
            {"die.hbm.pseudo_channels", "1"}}},
          {1,
           8000,
           512,
           "load_ref",
           {{credits, "6"},
            {hbm, "512 GB/s"},
            {"die.router.link_bandwidth", "512 GB/s"},
            {"pe.mac.tile.k", "8"},
            {"pe.mac.tile.n", "32"},
            {"pe.stream_depth", "4"},
            {"die.hbm.write_batch", "1"}}},
          // The array never waits, the scheduler takes as long for a tile: two paths of one rate.
          {1,
           86,
           12,
           "load_load",
           {{"pe.scheduler_latency", "1 ns"},
            {"pe.mac.fill_cycles", "0"},
            {"pe.mac.macs_per_cycle", "256"},
            {"pe.mac.tile.m", "1"},
            {"pe.mac.tile.k", "1"},
            {"pe.mac.tile.n", "1"}}}}) {
      Case tight;
      for (const Setting& setting : run.settings) tight.set(setting.key, setting.value);
      CAPTURE(run.k);
      CAPTURE(run.n);
      static_cast<void>(same_both_ways(tight.machine(), {.m = run.m, .k = run.k, .n = run.n}, run.variant));
    }
  }

  TEST_CASE("47.1 few credits and small tiles, on any machine") {
    CHECK(rc::check([] {
      Case any = any_case(1);
      const auto number = [](int from, int to) { return std::to_string(*rc::gen::inRange(from, to + 1)); };
      any.set("die.hbm.capacity", "4 GiB");
      any.set("pe.tcm.capacity", "64 MiB");
      any.set("simulation.packet_bytes", std::to_string(any.machine().die.hbm.burst) + " B");
      any.set("pe.dma.outstanding_bursts", number(1, 12));
      any.set(std::string("die.hbm.bandwidth"), number(64, 4000) + " GB/s");
      any.set("pe.mac.tile.m", number(1, 16));
      any.set("pe.mac.tile.k", number(1, 16));
      any.set("pe.mac.tile.n", number(1, 16));
      const TileShape tile = any.machine().pe.mac.tile;
      const auto tiles = [](int most) { return *rc::gen::inRange(1, most + 1); };
      any.problem.m = tile.m * tiles(3);
      any.problem.k = tile.k * tiles(120);
      any.problem.n = tile.n * tiles(20);
      RC_LOG() << any << '\n';
      const MachineSpec machine = any.machine();
      const Told counted = gemm_told(machine, any.problem, any.variant, {});
      RC_CLASSIFY(counted.passed_over > 0, "counted on");
      RC_ASSERT(counted.all == gemm_told(machine, any.problem, any.variant, {.fast_forward = false}).all);
    }));
  }

  TEST_CASE("47.2 a run whose records or values are asked for is simulated tile by tile") {
    const GemmProblem problem{.m = 128, .k = 4096, .n = 64};
    CHECK(gemm_told(with_room(), problem, "ref_ref", {}).passed_over > 0);
    CHECK(gemm_told(with_room(), problem, "ref_ref", {.verify = true}).passed_over == 0);
    Recorder recorder;
    CHECK(gemm_told(with_room(), problem, "ref_ref", {.sink = &recorder}).passed_over == 0);
    CHECK(gemm_told(with_room(), problem, "ref_ref", {.extent = SystemExtent::kWholeMachine}).passed_over == 0);
  }

  TEST_CASE("47.4 the time of 67 million tiles follows from those of some thousand") {
    // T is linear in the turns of each loop once they repeat themselves (47.4): eight small runs, tile by tile.
    const std::array<std::int64_t, 3> far{512, 64, 512};
    const std::array<std::int64_t, 3> near{8, 32, 96};
    const std::array<std::int64_t, 3> step{1, 1, 16};  // 16 writes are gathered before a channel turns
    const MachineSpec machine = with_room();
    const auto time_of = [&](const std::array<std::int64_t, 3>& tiles, bool fast_forward) {
      const GemmProblem problem{.m = 32 * tiles[0], .k = 64 * tiles[1], .n = 32 * tiles[2]};
      const std::string text = forked([&] {
        const RunResult result = run_gemm(machine, problem, "ref_ref", {.fast_forward = fast_forward});
        return std::to_string(result.pe.end.value);
      });
      return std::stoll(text);
    };
    Int128 expected = 0;  // of the polynomial with a term for each set of loops
    for (unsigned corner = 0; corner < 8; ++corner) {
      std::array<std::int64_t, 3> tiles = near;
      Int128 weight = 1;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t turns = (far[i] - near[i]) / step[i];
        const bool further = (corner >> i & 1U) != 0;
        if (further) tiles[i] += step[i];
        weight *= further ? turns : 1 - turns;
      }
      expected += weight * time_of(tiles, false);
    }
    CHECK(time_of(far, true) == static_cast<std::int64_t>(expected));
  }

  TEST_CASE("47.5 a kernel is told the times of the run") {
    const GemmProblem problem{.m = 512, .k = 1024, .n = 512};
    const auto times = [&](bool fast_forward) {
      return forked([&] {
        const RegisterGemmKernel registered({"watched", "ref_ref that looks at the time", {}, watched});
        const RunResult result = run_gemm(with_room(), problem, "watched", {.fast_forward = fast_forward});
        return std::to_string(told_time.value) + " " + std::to_string(result.pe.end.value);
      });
    };
    CHECK(times(true) == times(false));
  }

  TEST_CASE("47.7 the clock ends where it ends tile by tile") {
    Case slow;
    slow.set("pe.clock", "1 MHz");
    slow.set("die.hbm.capacity", "1 TiB");
    const GemmProblem problem{.m = 400'000, .k = 400'000, .n = 400'000};
    const std::string said = failure_of([&] { static_cast<void>(gemm_told(slow.machine(), problem, "ref_ref", {})); });
    CHECK_MESSAGE(said.find("; take a smaller problem or a faster machine") != std::string::npos, said);
  }

  TEST_CASE("47.7 a time limit holds for what is passed over") {
    const GemmProblem problem{.m = 1024, .k = 1024, .n = 1024};
    const auto ends = [&](Picoseconds limit) {
      return failure_of([&] { static_cast<void>(gemm_told(with_room(), problem, "ref_ref", {.limit = limit})); });
    };
    const std::string text = forked([&] {
      return std::to_string(run_gemm(with_room(), problem, "ref_ref", {.fast_forward = false}).pe.end.value);
    });
    const Picoseconds end{std::stoll(text)};
    CHECK(ends(end).empty());
    CHECK(ends(end - Picoseconds{1}).find("time limit") != std::string::npos);
    CHECK(ends({end.value / 2}).find("time limit") != std::string::npos);
  }
}

}  // namespace
}  // namespace kernbench
