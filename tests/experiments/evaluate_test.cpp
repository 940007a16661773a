// Evaluations in children: their order, what the cache knows of them.
#include "benches/experiments/run/evaluate.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/schema.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_machine.hpp"

namespace fs = std::filesystem;
using namespace kernbench;

namespace {

/// Each of them leaves its number in `log`.
std::vector<Evaluation> numbered(const fs::path& log, const std::vector<double>& costs) {
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Evaluation& one = evaluations.emplace_back();
    one.point = {{"number", i}};
    one.simulate = [log, i] {
      std::ofstream(log, std::ios::app) << i << ' ';
      Row row;
      row.metrics.json()["time_ns"] = 0.1 * static_cast<double>(i);
      return row;
    };
    one.identity = [i] { return WorkloadOnMachine{"toy", {{"number", i}}, "machine"}; };
    one.cost = costs[i];
  }
  return evaluations;
}

std::string said(const fs::path& log) {
  std::string text;
  std::getline(std::ifstream(log), text);
  fs::remove(log);
  return text;
}

Evaluated evaluated(const std::vector<Evaluation>& evaluations, EvaluationCache* cache = nullptr) {
  EvaluateOptions options;
  options.shows = Progress::Shows::kNothing;
  options.children.jobs = 1;
  options.cache = cache;
  return evaluate(evaluations, options);
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.3 the dearest are begun first, and rows stand in the order that was asked for") {
    const TemporaryFolder folder;
    const fs::path log = folder.path() / "log";
    const Evaluated all = evaluated(numbered(log, {1, 5, 1, 9}));
    CHECK(said(log) == "3 1 0 2 ");
    for (std::size_t i = 0; i < 4; ++i) CHECK(all.rows[i]->point == Json{{"number", i}});
  }
}

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.2 a row comes back as it was; one that results cannot hold fails alone") {
    std::vector<Evaluation> evaluations(3);
    evaluations[0].simulate = [] {
      Row row;
      row.metrics.json() = {
          {"third", 1.0 / 3}, {"least", -9.0e-300}, {"large", 9'007'199'254'740'993}, {"µ", "≤ \"1\""}};
      row.stages.push_back({"dma_in", "pe0.dma", 0.5, 1e22, 3, 4, 5, 0.1});
      row.flags = {"under_tile"};
      return row;
    };
    evaluations[1].simulate = [] {
      Row row;
      row.metrics.json()["text"] = "\xff";
      return row;
    };
    evaluations[2].simulate = [] {
      Row row;
      row.metrics.json()["number"] = std::numeric_limits<double>::infinity();
      return row;
    };
    const Evaluated all = evaluated(evaluations);
    CHECK(row_to_json(*all.rows[0]) == row_to_json(evaluations[0].simulate()));
    CHECK(row_to_json(*all.rows[0]).dump() == row_to_json(evaluations[0].simulate()).dump());
    CHECK(all.rows[1]->status == "failed");
    CHECK(all.rows[1]->reason == "a text of its row is not UTF-8");
    CHECK(all.rows[2]->reason == "number is not a finite number");
  }
}

TEST_SUITE("ADR-0037") {
  TEST_CASE("37.2 what the cache knows is not simulated; what failed, or has no identity, is each time") {
    const TemporaryFolder folder;
    const fs::path log = folder.path() / "log";
    EvaluationCache cache(folder.path() / "cache");
    std::vector<Evaluation> evaluations = numbered(log, {1, 1, 1, 1, 1});
    evaluations[1].simulate = [log]() -> Row {
      std::ofstream(log, std::ios::app) << "fails ";
      std::abort();
    };
    evaluations[2].simulate = [log]() -> Row {
      std::ofstream(log, std::ios::app) << "skips ";
      throw ConfigError("no room");
    };
    evaluations[3].identity = {};
    evaluations[4].identity = []() -> WorkloadOnMachine { throw CapacityError("no such machine"); };
    const Evaluated first = evaluated(evaluations, &cache);
    CHECK(said(log) == "0 fails skips 3 4 ");
    CHECK(first.known == 0);
    CHECK(known_evaluations(evaluations, cache) == std::vector<bool>{true, false, true, false, false});
    const Evaluated second = evaluated(evaluations, &cache);
    CHECK(said(log) == "fails 3 4 ");
    CHECK(second.known == 2);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(second.rows[i]->status == first.rows[i]->status);
      CHECK(second.rows[i]->reason == first.rows[i]->reason);
      CHECK(second.rows[i]->metrics.json() == first.rows[i]->metrics.json());
      CHECK(second.rows[i]->point == Json{{"number", i}});
    }
    CHECK(first.rows[1]->status == "failed");
    CHECK(first.rows[2]->status == "skipped");
  }

  TEST_CASE("37.1 a point of a sweep is that of its bench on the machine with the swept keys") {
    Bench bench;
    bench.name = "toy";
    bench.version = "3";
    bench.axes = {{"size", {1, 2}}};
    const MachineSpec machine = milestone();
    const Bench sweep = swept(bench, key_axes("--sweep", {"pe.stream_depth=3,5"}, {}, milestone()));
    const LabelledPoint point = expand_points(sweep).back();
    MachineSpec changed = machine;
    read_value(machine_key("pe.stream_depth"), "5", changed);
    const WorkloadOnMachine of_sweep = identity_of(sweep, machine, point.point, {});
    const WorkloadOnMachine alone = identity_of(bench, changed, {{"size", 2}}, {});
    CHECK(of_sweep.name == "toy");
    CHECK(of_sweep.workload == alone.workload);
    CHECK(of_sweep.machine_sha256 == alone.machine_sha256);
    CHECK(alone.machine_sha256 != machine_sha256(machine));
    CHECK(alone.workload == Json{{"bench", "toy"}, {"version", "3"}, {"point", {{"size", 2}}}, {"verify", false}});
    CHECK(identity_of(bench, changed, {{"size", 2}}, {true}).workload != alone.workload);
  }
}
