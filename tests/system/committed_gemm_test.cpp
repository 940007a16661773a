// The committed rows of milestone-1h-gemm beside what the calculator makes of their points: computed twice, by programs
// that share nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/base/source_dir.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/calculator.hpp"

namespace kernbench {
namespace {

using nlohmann::json;

std::int64_t picoseconds(const json& nanoseconds) { return std::llround(nanoseconds.get<double>() * 1000); }

/// `blocked` is a mapping: one of both operands in blocks, or what `ref_ref` is (32.10).
calculator::Run run_of(const json& row) {
  const json& point = row.at("point");
  calculator::Run run{point.at("m"), point.at("k"), point.at("n"), false, point.at("variant")};
  if (run.variant != "blocked") return run;
  const MappingRequest mapping = parse_mapping(row.at("metrics").at("mapping").get<std::string>(), "the row");
  if (*mapping.blocks == Residency{}) {
    run.variant = "ref_ref";
    return run;
  }
  REQUIRE(*mapping.blocks == Residency{true, true});
  run.mapping = {*mapping.tile,
                 *mapping.block,
                 std::string(kLoopOrders[*mapping.order]),
                 *mapping.buffers,
                 std::string(kSumFormats[mapping.sums->format]),
                 mapping.sums->place == SumPlace::kHbm};
  return run;
}

void check_stages(const json& stages, const calculator::Outcome& calculated) {
  CHECK(stages.size() == calculated.stages.size());
  for (const json& stage : stages) {
    const std::string name = stage.at("stage");
    CAPTURE(name);
    REQUIRE(calculated.stages.contains(name));
    const calculator::Stage& expected = calculated.stages.at(name);
    CHECK(stage.at("records") == expected.records);
    CHECK(picoseconds(stage.at("wall_ns")) == expected.wall);
    CHECK(picoseconds(stage.at("busy_ns")) == expected.busy);
    CHECK(stage.at("bytes") == expected.bytes);
    CHECK(stage.at("macs") == expected.macs);
  }
}

}  // namespace

TEST_CASE("the committed GEMMs are as calculated, to the picosecond") {
  const MachineSpec machine = milestone();
  const json results =
      json::parse(std::ifstream(kernbench::source_dir() + "/benches/milestone_1h_gemm/results/results.json"));
  CHECK(results.at("rows").size() == 32);
  for (const json& row : results.at("rows")) {
    const std::string point = row.at("point").dump();
    CAPTURE(point);
    const calculator::Outcome calculated = calculate(machine, run_of(row));
    const json& metrics = row.at("metrics");
    CHECK(picoseconds(row.at("windows").at("pe_ns")) == calculated.pe_end - calculated.pe_start);
    CHECK(picoseconds(row.at("windows").at("composite_ns")) == calculated.composite_end - calculated.composite_start);
    CHECK(picoseconds(metrics.at("time_ns")) == calculated.pe_end - calculated.pe_start);
    CHECK(metrics.at("tiles") == calculated.tiles);
    CHECK(metrics.at("hbm_read_bytes") == calculated.hbm_read);
    CHECK(metrics.at("hbm_written_bytes") == calculated.hbm_written);
    check_stages(row.at("stages"), calculated);
  }
}

}  // namespace kernbench
