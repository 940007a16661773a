// `kernbench run --sweep`: a bench over keys of the machine.
#include <doctest/doctest.h>

#include <fstream>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.8 a row of a sweep is that of the bench on the machine with these keys") {
    const Workplace place;
    const Ended swept =
        place.run(kProgram, {"run", "milestone-1h-gemm", "--only", "shape=128x128x128,variant=ref_ref", "--no-figures",
                             "-q", "--sweep", "die.hbm.bandwidth=128..512*2 GB/s", "--link",
                             "die.router.link_bandwidth=die.hbm.bandwidth", "--sweep", "die.hbm.burst=256,512 B"});
    REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
    const Json rows = Json::parse(std::ifstream(place.path() / "out/milestone-1h-gemm-sweep/results.json")).at("rows");
    REQUIRE(rows.size() == 6);
    CHECK(rows.at(1).at("status") == "skipped");  // a packet is 256 B
    CHECK(rows.at(1).at("reason").get<std::string>().find("contradicts die.hbm.burst") != std::string::npos);
    const Json last = rows.at(4);
    CHECK(last.at("point").at("die.router.link_bandwidth") == "512 GB/s");
    const Json alone = kernbench::rows_of({"sim", "gemm", "--m", "128", "--k", "128", "--n", "128", "--variant",
                                           "ref_ref", "--set", "die.hbm.bandwidth=512 GB/s", "--set",
                                           "die.router.link_bandwidth=512 GB/s", "--json", "result.json"});
    CHECK(last.at("metrics").at("time_ns") == alone.at(0).at("metrics").at("time_ns"));
  }

  TEST_CASE("35.8 another sweep into the same folder is refused, the same one goes on") {
    const Workplace place;
    const auto sweep = [&](const std::string& values, const std::vector<std::string>& more = {}) {
      std::vector<std::string> command{
          "run", "milestone-1h-gemm", "--only", "shape=32x64x32,variant=ref_ref", "--no-figures",
          "-q",  "--sweep",           values};
      command.insert(command.end(), more.begin(), more.end());
      return place.run(kProgram, command);
    };
    CHECK(sweep("pe.stream_depth=1,2").exit_code == 0);
    CHECK(sweep("pe.stream_depth=1,2").exit_code == 0);
    const Ended other = sweep("pe.output_depth=1,2");
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "has results of another experiment: rows of other points"));
    CHECK(sweep("pe.output_depth=1,2", {"--replace"}).exit_code == 0);
    CHECK(has(sweep("pe.stream_depth=1,2", {"--set", "pe.stream_depth=4"}).err, "expected no key that --sweep has"));
  }

  TEST_CASE(
      "35.8 the best mesh of a die for an all_reduce: the smallest at equal bytes a PE, the largest at equal total") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "milestone-1h-ccl", "--sweep", "die.routers=2x2,4x4,8x8", "--set",
                             "package.die_to_die.connections=8", "--only",
                             "case=all_reduce-ring-die-tcm,size=256KiB,size=1MiB,size=4MiB", "--no-figures", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = Json::parse(std::ifstream(place.path() / "out/milestone-1h-ccl-sweep/results.json")).at("rows");
    constexpr int kMiB = 1 << 20;
    const auto time = [&](const std::string& side, int bytes) {
      for (const Json& row : rows) {
        const Json& point = row.at("point");
        if (point.value("die.routers.rows", "") == side && point.value("bytes", 0) == bytes) {
          return row.at("metrics").at("time_ns").get<double>();
        }
      }
      FAIL("no row of ", side, " ", bytes);
      return 0.0;
    };
    CHECK(time("2", kMiB) < time("4", kMiB));
    CHECK(time("4", kMiB) < time("8", kMiB));
    CHECK(time("8", kMiB / 4) < time("4", kMiB));  // 16 MiB in all
    CHECK(time("4", kMiB) < time("2", 4 * kMiB));
    // A ring of n moves 2 (n - 1) / n of the bytes over links of 256 GB/s: 6.1 and 7.7 us, and its steps' latencies.
    CHECK(time("2", kMiB) == doctest::Approx(1.5 * kMiB / 256).epsilon(0.04));
    CHECK(time("4", kMiB) == doctest::Approx(1.875 * kMiB / 256).epsilon(0.13));
  }

  TEST_CASE("35.9 of a grid what --where leaves, or a sample, each with its figure") {
    const Workplace place;
    const auto rows_of = [&](const std::vector<std::string>& more) {
      std::vector<std::string> command{"run",     "milestone-1h-gemm",   "--only",  "shape=32x64x32,variant=ref_ref",
                                       "-q",      "--replace",           "--sweep", "pe.stream_depth=1..8",
                                       "--sweep", "pe.output_depth=1..8"};
      command.insert(command.end(), more.begin(), more.end());
      const Ended ended = place.run(kProgram, command);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return Json::parse(std::ifstream(place.path() / "out/milestone-1h-gemm-sweep/results.json")).at("rows");
    };
    CHECK(rows_of({"--where", "pe.stream_depth >= pe.output_depth", "--no-figures"}).size() == 36);
    const Json sample = rows_of({"--sample", "lhs:8", "--seed", "5"});
    CHECK(sample.size() == 8);
    CHECK(std::filesystem::exists(place.path() / "out/milestone-1h-gemm-sweep/figures/sample.png"));
    CHECK(rows_of({"--sample", "lhs:8", "--seed", "5", "--no-figures"}) == sample);
    CHECK(has(kernbench::refusal({"run", "milestone-1h-gemm", "--sample", "lhs:8"}), "--sample: expected a --sweep"));
    CHECK(has(kernbench::refusal({"run", "milestone-1h-gemm", "--where", "pe.stream_depth > 1"}),
              "--where: expected a --sweep"));
  }

  TEST_CASE("35.8 a machine that --set refuses is a skipped row of a sweep") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "operators", "--topology", kernbench::source_dir() + "/topology/tpu_v4_core.yaml",
                             "--only", "operation=gelu,batch_size=1,sequence_length=64,tensor_dimension=256", "--sweep",
                             "package.dies.rows=1,2", "--no-figures"});
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = Json::parse(std::ifstream(place.path() / "out/operators-sweep/results.json")).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("status") == "ok");
    CHECK(rows.at(1).at("status") == "skipped");
    CHECK(has(rows.at(1).at("reason"), "package.die_to_die: missing section; expected the keys"));
  }

  TEST_CASE("35.8 a sweep has no committed results") {
    CHECK(has(kernbench::refusal({"run", "milestone-1h-gemm", "--fast", "--sweep", "pe.stream_depth=1,2"}),
              "--sweep: expected no --fast beside it"));
  }
}
