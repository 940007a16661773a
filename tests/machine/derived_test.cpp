// Quantities that follow from keys, against the formulas of the decision at values where rounding shows.
#include <doctest/doctest.h>

#include "sim/base/source_dir.hpp"
#include "tests/machine/example_machine.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.12 derived times round up once") {
    const auto spec =
        parse_machine(kExample, "m.yaml", {"die.hbm.bandwidth=7 GB/s", "die.wire.pe_to_router=1501 um"}).spec;
    CHECK(spec.die.hbm.burst_time() == Picoseconds{36'572});  // 64 x 4 / 7e9 s = 36571.4 ps
    CHECK(spec.pe.tile_cycles() == 532);                      // 19 x 20 x 21 / 15
    CHECK(spec.pe.tile_time() == Picoseconds{312'942});       // 532 / 1.7e9 s = 312941.2 ps
    CHECK(spec.die.wire.delay(1501) == Picoseconds{10});      // 1.501 mm x 6 ps/mm = 9.006 ps
    CHECK(spec.die.wire.delay(1500) == Picoseconds{9});
    CHECK(spec.pe.peak_tflops() == doctest::Approx(0.051));
  }

  TEST_CASE("3.12 an edge of a tile counts as a whole cycle") {
    const auto cycles = [](const char* macs) {
      return parse_machine(kExample, "m.yaml", {std::string("pe.mac.macs_per_cycle=") + macs}).spec.pe.tile_cycles();
    };
    CHECK(cycles("7980") == 1);
    CHECK(cycles("7979") == 2);
    CHECK(cycles("1048576") == 1);
  }
}

TEST_CASE("the milestone's machine has the quantities it was designed for") {
  const auto machine = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml").spec;
  CHECK(machine.pe.peak_tflops() == doctest::Approx(8.192));
  CHECK(machine.pe.tile_time() == from_ns(16));
  CHECK(machine.die.hbm.burst_time() == from_ns(8));
  const auto summary = describe_machine(machine);
  CHECK(summary.find("pseudo-channel bandwidth       = 32 GB/s\n") != std::string::npos);
  CHECK(summary.find("peak                           = 8.192 TFLOPS\n") != std::string::npos);
}
