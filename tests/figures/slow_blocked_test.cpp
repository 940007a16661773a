// The mapping that is chosen: never slower than a staging variant, and near the best there is.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "benches/experiments/run/isolated.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/plan/mapping_tiles.hpp"
#include "sim/system/run.hpp"
#include "tests/plan/random_problem.hpp"

using namespace kernbench;

namespace {

double time_ns(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping) {
  const Work work = [&] { return std::to_string(run_gemm(machine, problem, mapping).pe.length().value); };
  const IsolationReport report = run_isolated({work}, {.jobs = 1});
  REQUIRE_MESSAGE(report.outcomes.front()->ok, report.outcomes.front()->reason);
  return static_cast<double>(std::stoll(report.outcomes.front()->payload)) / 1000;
}

double chosen_ns(const MachineSpec& machine, const GemmProblem& problem) {
  return simulate_blocked(machine, problem, {}).metrics.json().at("time_ns").get<double>();
}

/// Of all mappings of all candidate tiles; those that cannot be faster than `known` are not simulated.
[[maybe_unused]] double least_of_all_ns(const MachineSpec& machine, const GemmProblem& problem, double known) {
  for (const TileShape& tile : candidate_tiles(problem, machine.pe.mac.tile)) {
    MappingRequest request;
    request.tile = tile;
    for (const RankedMapping& ranked : search_mappings(problem, machine, request).best) {
      if (ranked.bound.ns() < known) known = std::min(known, time_ns(machine, problem, ranked.mapping));
    }
  }
  return known;
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.8 32.11 blocked is at most 0.01 % slower than any staging variant, and not faster than its bound") {
    CHECK(rc::check("no slower", [] {
      const MachineSpec machine = random_machine();
      const GemmProblem problem{random_size(70), random_size(70), random_size(70)};
      const double chosen = chosen_ns(machine, problem);
      for (const Residency& loaded : {Residency{}, Residency{true, false}, Residency{true, true}}) {
        RC_ASSERT(chosen <= 1.0001 * time_ns(machine, problem, whole_mapping(problem, machine.pe.mac.tile, loaded)));
      }
      RC_ASSERT(bound_of_blocked(machine, problem).metrics.json().at("time_ns").get<double>() <= chosen);
    }));
  }

#ifndef KERNBENCH_SANITIZED  // thousands of simulations
  TEST_CASE("32.8 32.11 blocked is within 2 % of all mappings of all candidate tiles, and says which it is") {
    MachineSpec small = milestone();
    small.pe.tcm.capacity = 72 << 10;
    small.die.hbm.bandwidth = small.die.router.link = {64'000'000'000};
    MachineSpec systolic = milestone();
    systolic.pe.mac.rows = systolic.pe.mac.columns = 32;
    systolic.pe.mac.dataflow = Dataflow::kOutputStationary;
    for (const MachineSpec& machine : {milestone(), small, systolic}) {
      for (const GemmProblem& problem : {GemmProblem{32, 256, 64}, GemmProblem{70, 65, 40}, GemmProblem{96, 64, 96}}) {
        const Row row = simulate_blocked(machine, problem, {});
        const double chosen = row.metrics.json().at("time_ns");
        CAPTURE(row.metrics.json().at("mapping"));
        CHECK(chosen <= 1.02 * least_of_all_ns(machine, problem, chosen));
        const GemmMapping mapping =
            search_mappings(problem, machine, parse_mapping(std::string(row.metrics.json().at("mapping")), "test"))
                .best.at(0)
                .mapping;
        CHECK(time_ns(machine, problem, mapping) == doctest::Approx(chosen).epsilon(1e-12));
      }
    }
  }
#endif
}
