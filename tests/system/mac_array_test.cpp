// Dataflows of the MAC array in whole runs: its time, and when results are there.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

using Overrides = std::vector<std::string>;

/// The milestone's machine with an array of cells, and nothing else that takes the array time.
MachineSpec with_cells(const std::string& dataflow, int rows, int columns, const Overrides& more = {}) {
  Overrides all = {"pe.mac.macs_per_cycle=0",
                   "pe.mac.dataflow=" + dataflow,
                   "pe.mac.rows=" + std::to_string(rows),
                   "pe.mac.columns=" + std::to_string(columns),
                   "pe.mac.fill_cycles=0",
                   "pe.mac.operand_registers=4",
                   "pe.fetch_bandwidth=1000 TB/s"};
  all.insert(all.end(), more.begin(), more.end());
  return milestone(all);
}

/// Time of the array in a run in which it is never waited for.
Picoseconds array_time(const MachineSpec& machine, const GemmProblem& problem) {
  const Observed run = simulate_gemm(machine, problem, "load_load");
  Picoseconds sum;
  for (const OpRecord& op : run.of("mac")) sum += op.end - op.start;
  return sum;
}

/// From the end of the only output's last product to the begin of its store.
Picoseconds latency(const MachineSpec& machine, const GemmProblem& problem) {
  const Observed run = simulate_gemm(machine, problem, "load_load");
  REQUIRE(run.of("store").size() == 1);
  return run.of("store").front().start - run.of("mac").back().end;
}

}  // namespace

TEST_SUITE("ADR-0031") {
  TEST_CASE("31.7 512 x 512 x 512 on 64 x 64 cells is 64 folds of 702 cycles, as published") {
    const GemmProblem problem{512, 512, 512};
    const Overrides whole_rows = {"pe.mac.tile.m=512", "pe.mac.tile.k=64", "pe.mac.tile.n=64"};
    CHECK(array_time(with_cells("weight_stationary", 64, 64, whole_rows), problem) == from_ns(44'928));
    const Overrides squares = {"pe.mac.tile.m=64", "pe.mac.tile.k=64", "pe.mac.tile.n=64"};
    CHECK(array_time(with_cells("output_stationary", 64, 64, squares), problem) == from_ns(44'928));
  }

  TEST_CASE("31.2 31.6 two sets of weights leave the rows of A, and the first weights") {
    const Overrides two = {"pe.mac.weight_buffers=2"};
    // 4 tiles of 32 rows, each with 64 x 32 weights: as many rows as weights' rows would hide them, 32 do not.
    CHECK(array_time(with_cells("weight_stationary", 64, 32, two), {32, 256, 32}) == from_ns(64 + 3 * 64 + 32));
    const Overrides high = {"pe.mac.weight_buffers=2", "pe.mac.tile.m=64"};
    CHECK(array_time(with_cells("weight_stationary", 64, 32, high), {64, 256, 32}) == from_ns(64 + 4 * 64));
    const Overrides one_less = {"pe.mac.weight_buffers=2", "pe.mac.tile.m=63"};
    CHECK(array_time(with_cells("weight_stationary", 64, 32, one_less), {63, 256, 32}) == from_ns(64 + 3 * 64 + 63));
  }

  TEST_CASE("31.2 what the array keeps a result for delays the result and not the next tile") {
    // 48 of 64 rows of cells: sums pass 16 idle ones.
    CHECK(latency(with_cells("weight_stationary", 64, 32), {32, 48, 32}) == from_ns(16));
    CHECK(latency(with_cells("weight_stationary", 64, 32), {32, 64, 32}) == from_ns(0));
    CHECK(latency(with_cells("weight_stationary", 64, 32, {"pe.mac.weight_buffers=2"}), {32, 64, 32}) ==
          from_ns(64 + 32 - 2));
    CHECK(latency(with_cells("output_stationary", 40, 32), {32, 64, 32}) == from_ns(8));
    MachineSpec pipelined = with_cells("output_stationary", 40, 32);
    pipelined.pe.mac.fill_cycles = 3;
    CHECK(latency(pipelined, {32, 64, 32}) == from_ns(11));
    CHECK(latency(with_cells("dot_product", 8, 8), {32, 64, 32}) == from_ns(0));
  }

  TEST_CASE("31.4 31.5 a partial tile takes the time of its own elements") {
    const MachineSpec weights = with_cells("weight_stationary", 64, 32);
    CHECK(array_time(weights, {32, 64, 32}) == from_ns(2 * 64 + 32 + 32 - 2));
    CHECK(array_time(weights, {16, 64, 32}) == from_ns(2 * 64 + 32 + 16 - 2));
    CHECK(array_time(weights, {16, 40, 9}) == from_ns(2 * 40 + 9 + 16 - 2));
    // K tiles of one output follow each other; the skew and the way out are paid once.
    const MachineSpec outputs = with_cells("output_stationary", 32, 32);
    CHECK(array_time(outputs, {32, 640, 32}) == from_ns(640 + 2 * 32 + 32 - 2));
    CHECK(array_time(outputs, {16, 640, 9}) == from_ns(640 + 2 * 16 + 9 - 2));
    GemmProblem scaled{32, 640, 32};
    scaled.epilogues = parse_epilogues("scale@k_tile");
    CHECK(array_time(outputs, scaled) == from_ns(640 + 10 * (2 * 32 + 32 - 2)));
  }

  TEST_CASE("31.8 MACs are the valid ones where the array has a shape, and padded ones where it has none") {
    const auto macs = [](const MachineSpec& machine) {
      std::int64_t sum = 0;
      for (const OpRecord& op : simulate_gemm(machine, {40, 70, 33}, "load_load").of("mac")) sum += op.macs;
      return sum;
    };
    CHECK(macs(milestone()) == 2 * 2 * 2 * 32 * 64 * 32);
    CHECK(macs(with_cells("weight_stationary", 64, 32)) == 40 * 70 * 33);
    CHECK(macs(with_cells("dot_product", 8, 4, {"pe.mac.depth=16"})) == 40 * 70 * 33);
  }
}
