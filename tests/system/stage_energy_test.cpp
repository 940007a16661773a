// Which stage of a run took its energy.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <sstream>

#include "sim/system/stage_activity.hpp"
#include "tests/plan/random_problem.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::stage_energy_test {
namespace {

/// A name a count, so that a forked run can say them in a line.
std::map<std::string, std::int64_t> counts_of(const Activity& a) {
  std::map<std::string, std::int64_t> counts{{"vector", a.vector_operations},
                                             {"registers", a.registers},
                                             {"tcm", a.tcm},
                                             {"sram", a.sram},
                                             {"hbm", a.hbm},
                                             {"router", a.router},
                                             {"die_to_die", a.die_to_die},
                                             {"package_link", a.package_link}};
  for (const std::int64_t macs : a.macs) counts["mac"] += macs;
  std::erase_if(counts, [](const auto& count) { return count.second == 0; });
  return counts;
}

/// Of each stage that has any, and of the "run".
using Counts = std::map<std::string, std::map<std::string, std::int64_t>>;

std::string to_line(const RunResult& run) {
  std::ostringstream out;
  const auto add = [&out](const std::string& stage, const Activity& activity) {
    for (const auto& [name, count] : counts_of(activity)) out << stage << ' ' << name << ' ' << count << ' ';
  };
  for (const StageTotals& stage : run.stages) add(stage.stage, stage.activity);
  add("run", run.activity);
  return out.str();
}

Counts from_line(const std::string& text) {
  std::istringstream in(text);
  Counts counts;
  std::string stage;
  std::string name;
  std::int64_t count = 0;
  while (in >> stage >> name >> count) counts[stage][name] = count;
  return counts;
}

Counts of_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
               std::optional<SystemExtent> extent = {}) {
  return from_line(forked([&] { return to_line(run_gemm(machine, problem, variant, {.extent = extent})); }));
}

/// Of all stages together.
std::map<std::string, std::int64_t> sum_of(Counts counts) {
  counts.erase("run");
  std::map<std::string, std::int64_t> sum;
  for (const auto& [stage, parts] : counts) {
    for (const auto& [name, count] : parts) sum[name] += count;
  }
  return sum;
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.10 a stage has its own counts") {
    constexpr std::int64_t kA = 64 * 256 * 2;
    constexpr std::int64_t kB = 256 * 96 * 2;
    constexpr std::int64_t kC = 64 * 96 * 2;
    const Counts streamed = of_gemm(milestone(), {.m = 64, .k = 256, .n = 96}, "ref_ref");
    const auto moved = [](std::int64_t bytes) {
      return std::map<std::string, std::int64_t>{{"hbm", bytes}, {"router", bytes}, {"tcm", bytes}};
    };
    const auto passed = [](std::int64_t bytes) {
      return std::map<std::string, std::int64_t>{{"registers", bytes}, {"tcm", bytes}};
    };
    CHECK(streamed.at("dma_in") == moved(3 * kA + 2 * kB));  // for three columns of tiles, and two rows
    CHECK(streamed.at("fetch") == passed(3 * kA + 2 * kB));
    CHECK(streamed.at("mac") == std::map<std::string, std::int64_t>{{"mac", 64 * 256 * 96}});
    CHECK(streamed.at("store") == passed(kC));
    CHECK(streamed.at("dma_out") == moved(kC));
    CHECK(streamed.size() == 6);  // control and schedule have none; and the run
    const Counts loaded = of_gemm(milestone(), {.m = 64, .k = 256, .n = 96}, "load_ref");
    CHECK(loaded.at("load") == moved(kA));
    CHECK(loaded.at("dma_in") == moved(2 * kB));
    const Counts small = of_gemm(milestone(), {.m = 5, .k = 7, .n = 3}, "ref_ref");
    CHECK(small.at("fetch") == passed((5 * 7 + 7 * 3) * 2));
    CHECK(small.at("dma_in").at("hbm") % 256 == 0);  // whole bursts
  }

  TEST_CASE("36.10 conversions are their own stage's, epilogues the vector stage's") {
    const GemmProblem problem{
        .m = 64, .k = 128, .n = 64, .epilogues = parse_epilogues("gelu"), .dtype_b = Dtype::kFp8E4m3};
    const Counts run = of_gemm(milestone(), problem, "ref_ref");
    CHECK(run.at("convert") == std::map<std::string, std::int64_t>{{"vector", 2 * 128 * 64}});
    CHECK(run.at("vector").at("vector") == run.at("run").at("vector") - 2 * 128 * 64);
    CHECK(run.at("vector").at("vector") > 0);
  }

  TEST_CASE("36.10 stages add up to the run, whatever is run") {
    const MachineSpec machine = milestone();
    CHECK(rc::check([&] {
      const GemmProblem problem = random_problem();
      const auto variant = *rc::gen::element<std::string>("ref_ref", "load_ref", "load_load");
      const Counts run = of_gemm(machine, problem, variant);
      RC_ASSERT(sum_of(run) == run.at("run"));
    }));
    const Counts network = of_gemm(machine, {.m = 100, .k = 200, .n = 70}, "load_ref", SystemExtent::kWholeMachine);
    CHECK(sum_of(network) == network.at("run"));
    const Counts math = from_line(forked([&] { return to_line(run_math(machine, {VectorOp::kRowSum, 64, 96})); }));
    CHECK(sum_of(math) == math.at("run"));
    CHECK(math.at("vector").at("vector") == 64 * 96 + 64 * 3);
  }

  TEST_CASE("36.10 where a count is no stage's, none has any") {
    const auto run_with = [](const Activity& activity) {
      RunResult run;
      run.stages.resize(2);
      run.stages[0].stage = "mac";
      run.stages[1].stage = "dma_in";
      run.stages[1].moved = 512;
      run.activity = activity;
      divide_activity(run, 0);
      return from_line(to_line(run));
    };
    Activity activity;
    activity.tcm = activity.hbm = activity.router = 512;
    activity.macs.front() = 9;
    CHECK(run_with(activity).at("mac").at("mac") == 9);
    CHECK(run_with(activity).at("dma_in").at("hbm") == 512);
    activity.sram = 64;
    CHECK(run_with(activity).size() == 1);
    activity.sram = 0;
    activity.router = 1024;  // one more hop
    CHECK(run_with(activity).size() == 1);
  }
}

}  // namespace kernbench::stage_energy_test
