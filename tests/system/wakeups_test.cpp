// What a simulated tile costs the engine. Counts are exact: they do not depend on the machine that simulates.
#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

struct Counts {
  std::int64_t wakeups = 0;
  std::int64_t tiles = 0;
  std::int64_t bursts = 0;
};

Counts simulate(const GemmProblem& problem, const std::string& variant, Bytes packet) {
  std::istringstream answer(forked([&] {
    const LoadedMachine machine = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml",
                                               {"simulation.packet_bytes=" + std::to_string(packet) + " B",
                                                // Room for packets of any length: wires of its own are exact (28.3).
                                                "die.router.buffer=64 KiB"});
    const RunResult run = run_gemm(machine.spec, problem, variant);
    return std::to_string(run.engine.wakeups) + " " + std::to_string(run.tiles) + " " +
           std::to_string(run.engine.bursts);
  }));
  Counts counts;
  answer >> counts.wakeups >> counts.tiles >> counts.bursts;
  return counts;
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.14 at most 12 wake-ups a tile by whole operand tiles, at most 4 more for each further burst") {
    const std::vector<GemmProblem> shapes{{32, 64, 32},    {16, 64, 32},    {32, 32, 32},    {32, 64, 16},
                                          {128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {32, 3072, 32}};
    for (const GemmProblem& problem : shapes) {
      for (const std::string variant : {"ref_ref", "load_ref", "load_load"}) {
        CAPTURE(problem.m);
        CAPTURE(problem.k);
        CAPTURE(variant);
        const Counts coarse = simulate(problem, variant, 4096);
        const Counts fine = simulate(problem, variant, 256);
        REQUIRE(coarse.tiles > 0);
        REQUIRE(fine.tiles == coarse.tiles);
        REQUIRE(fine.bursts == coarse.bursts);
        // A run of one tile pays alone for the kernel and the first wake-up of every process.
        CHECK(coarse.wakeups <= 12 * coarse.tiles + (coarse.tiles == 1 ? 28 : 0));
        // An output tile, the smallest packet, has 8 bursts in the larger shapes: at least 7 of 8 bursts are further
        // ones.
        CHECK(fine.wakeups - coarse.wakeups <= 4 * (fine.bursts - fine.bursts / 8));
      }
    }
  }
}
