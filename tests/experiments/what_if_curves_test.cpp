// How much of each key is enough: curves of times that are formulas.
#include <doctest/doctest.h>

#include <algorithm>

#include "benches/experiments/whatif/what_if.hpp"
#include "benches/experiments/whatif/what_if_figures.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

Row timed(double time_ns) {
  Row row;
  row.metrics.json()["time_ns"] = time_ns;
  return row;
}

KeyCurve curve_of(const std::vector<double>& times) {
  KeyCurve curve{topology_key("die.hbm.bandwidth"), {}};
  for (const double time : times) curve.values.push_back({{}, timed(time)});
  return curve;
}

/// Memory up to what its link carries, beside calls.
double by_memory(const MachineSpec& machine) {
  return 1e6 / std::min(machine.die.hbm.bandwidth.gbs(), 300.0) + static_cast<double>(machine.pe.control.value) / 10;
}

std::vector<Row> simulated(const std::vector<MachineSpec>& machines) {
  std::vector<Row> rows;
  for (const MachineSpec& machine : machines) rows.push_back(timed(by_memory(machine)));
  return rows;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.10 the knee is the least value from which on each next one gains less than 1 %") {
    CHECK(knee_of(curve_of({400, 200, 100, 99.5, 99})) == 2U);
    CHECK(knee_of(curve_of({400, 200, 100, 100, 98})) == std::nullopt);
    CHECK(knee_of(curve_of({400, 200, 100, 50, 25})) == std::nullopt);
    CHECK(knee_of(curve_of({400, 200, 100, 50, 49.9})) == 3U);
    CHECK(knee_of(curve_of({100, 100, 100, 100, 99.9})) == 0U);
    CHECK(knee_of(curve_of({100, 99.5, 50, 49.9, 49.9})) == 2U);
    CHECK(knee_of(curve_of({7})) == std::nullopt);
    CHECK(knee_of(curve_of({101.1, 100})) == std::nullopt);
    CHECK(knee_of(curve_of({100.9, 100})) == 0U);
  }

  TEST_CASE("35.10 of a key that is better the less it is, the knee is the greatest such value") {
    CHECK(knee_of(curve_of({100, 100.5, 101, 120, 200})) == 2U);
    CHECK(knee_of(curve_of({100, 200, 300, 400, 500})) == std::nullopt);
    CHECK(knee_of(curve_of({100, 100, 100.2, 100.4, 103})) == 3U);
  }

  TEST_CASE("35.10 curves are of the keys with the largest effects, as many as are asked for") {
    const MachineSpec machine = milestone({"pe.control_latency=200 ns"});
    CHECK(what_if(machine, simulated).curves.empty());
    const WhatIf answer = what_if(machine, simulated, {.stairs = 0, .curves = 6});
    REQUIRE(answer.curves.size() == 2);
    CHECK(what_if(machine, simulated, {.stairs = 0, .curves = 1}).curves.size() == 1);
    CHECK(answer.runs == what_if(machine, simulated, {.stairs = 0}).runs + 4);
    const KeyCurve& control = answer.curves.front();
    CHECK(control.key.path() == "pe.control_latency");
    REQUIRE(control.values.size() == 5);
    for (const auto& [factor, row] : control.values) {
      const MachineSpec other = factor == Factor{} ? machine : changed(machine, {{control.key, factor}});
      CHECK(row.metrics.json().at("time_ns") == by_memory(other));
    }
    const KeyCurve& memory = answer.curves.back();
    CHECK(memory.key.path() == "die.hbm.bandwidth");
    CHECK(knee_of(memory) == 3U);  // 512 GB/s: of 256 the next one is 300

    const std::vector<Row> rows = rows_of(answer, machine);
    const auto row_of = [&](const std::string& set) {
      const auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.point.at("set") == set; });
      return found == rows.end() ? Json() : found->point.at("with");
    };
    CHECK(row_of("die.hbm.bandwidth=64 GB/s") == "a quarter");
    CHECK(row_of("pe.control_latency=800 ns") == "four times");

    const Json drawn = what_if_curves(answer, machine, {}, "gemm").spec.at("data").at("values");
    REQUIRE(drawn.size() == 10);
    CHECK(drawn[2].at("now") == true);
    CHECK(drawn[2].at("value") == "200 ns");
    CHECK(drawn[8].at("knee") == true);
    CHECK(drawn[8].at("value") == "512 GB/s");
    CHECK(std::ranges::count_if(drawn, [](const Json& one) { return one.at("knee").get<bool>(); }) == 1);
  }

  TEST_CASE("35.10 values on which the workload does not run are no part of a curve") {
    const auto not_below = [](const std::vector<MachineSpec>& machines) {
      std::vector<Row> rows = simulated(machines);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (machines[i].die.hbm.bandwidth.gbs() < 100) rows[i].status = "skipped";
      }
      return rows;
    };
    const WhatIf answer = what_if(milestone(), not_below, {.stairs = 0, .curves = 6});
    REQUIRE_FALSE(answer.curves.empty());
    CHECK(answer.curves.front().key.path() == "die.hbm.bandwidth");
    CHECK(answer.curves.front().values.size() == 4);
  }
}
