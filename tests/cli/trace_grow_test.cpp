// `kernbench dev trace-grow` and `trace check` on the command line.
#include <doctest/doctest.h>

#include <filesystem>

#include "benches/io/text/json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

const std::string kMeasuredRank =
    kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap/28ch_256threads/rank0.json.gz";

}  // namespace

TEST_SUITE("ADR-0042") {
  TEST_CASE("42.12 what grow is told wrongly is refused, and nothing is written") {
    const Workplace place;
    const auto refused = [&place](const std::vector<std::string>& options) {
      std::vector<std::string> command{"dev", "trace-grow", kMeasuredRank, "big.json"};
      command.insert(command.end(), options.begin(), options.end());
      const Ended ended = place.run(kProgram, command);
      CHECK(ended.exit_code == 2);
      return ended.err;
    };
    CHECK(has(refused({}), "expected one of --size and --copies"));
    CHECK(has(refused({"--size", "1GB", "--copies", "2"}), "expected one of --size and --copies"));
    CHECK(has(refused({"--size", "3"}), "--size: expected a size such as 200MB, 1GB or 512 MiB, got '3'"));
    CHECK(has(refused({"--size", "-1GB"}), "--size: expected"));
    CHECK(has(refused({"--copies", "0"}), "--copies"));
    CHECK(has(refused({"--copies", "2", "--period", "soon"}), "--period: "));
    CHECK(has(refused({"--copies", "2", "--period", "0 us"}), "--period: expected a time above 0"));
    CHECK(!fs::exists(place.path() / "big.json"));
    const Ended grown = place.run(kProgram, {"dev", "trace-grow", kMeasuredRank, "big.json.gz", "--size", "1 MiB"});
    CHECK(grown.exit_code == 0);
    CHECK(has(grown.err, "big.json.gz: the trace 3 times, each 23 ms; "));
  }

  TEST_CASE("42.10 a run's trace says the same in both formats, and nothing crosses in it") {
    const Workplace place;
    kernbench::Json before;
    for (const std::string name : {"t.pftrace.gz", "t.json"}) {
      const Ended ran = place.run(
          kProgram, {"sim", "gemm", "--m", "128", "--k", "128", "--n", "128", "--variant", "ref_ref", "--trace", name});
      REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
      const Ended checked = place.run(kProgram, {"trace", "check", name, "--json", "facts.json"});
      REQUIRE_MESSAGE(checked.exit_code == 0, checked.err);
      const kernbench::Json facts =
          kernbench::parse_json(kernbench::read_file(place.path() / "facts.json"), "facts.json");
      CHECK(facts.at("problems") == kernbench::Json{"no GPU event"});
      CHECK(facts.at("span_us").get<double>() > 0.1);
      kernbench::Json said = kernbench::Json::array({facts.at("span_us")});
      for (const kernbench::Json& category : facts.at("categories")) {  // of the whole run one format has a slice more
        if (category.at("category") != "run" && category.at("category") != "") said.push_back(category);
      }
      CHECK(said.size() == 8);
      if (!before.is_null()) CHECK(said == before);
      before = said;
    }
  }
}
