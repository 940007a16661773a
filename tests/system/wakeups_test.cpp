// The simulator's own work, counted: how often processes are woken for a tile and for a burst.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

TEST_CASE("a tile costs at most 12 wake-ups at transfer granularity, and a burst of full detail at most 4 more") {
  const GemmProblem problem{512, 512, 512};
  for (const std::string variant : {"ref_ref", "load_ref", "load_load"}) {
    CAPTURE(variant);
    const RunResult coarse = simulate_gemm(milestone({"simulation.packet_bytes=4096B"}), problem, variant).result;
    const RunResult full = simulate_gemm(milestone(), problem, variant).result;
    REQUIRE(coarse.tiles == 16 * 16 * 8);
    REQUIRE(coarse.engine.bursts == full.engine.bursts);
    const auto per_tile = static_cast<double>(coarse.engine.wakeups) / static_cast<double>(coarse.tiles);
    const auto per_burst =
        static_cast<double>(full.engine.wakeups - coarse.engine.wakeups) / static_cast<double>(full.engine.bursts);
    MESSAGE(variant << ": " << per_tile << " wake-ups a tile, " << per_burst << " more a burst");
    CHECK(per_tile <= 12.0);
    CHECK(per_burst <= 4.0);
    CHECK(per_burst > 0.0);  // full detail was asked for and simulated
  }
}
