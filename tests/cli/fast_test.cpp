// Fast mode: figures and tables from committed results, which say so when they are stale.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "benches/harness/results/results_json.hpp"
#include "benches/harness/write_file.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using kernbench::Json;

namespace {

const std::string kToy = KERNBENCH_TOY_PROGRAM;
const std::vector<std::string> kRun{"run", "--bench", "toy-steps", "--no-provenance"};
const std::vector<std::string> kFast{"run", "--bench", "toy-steps", "--fast"};

/// A workplace whose toy bench has committed results; later simulations would leave a log.
struct Committed : Workplace {
  Committed() {
    set("TOY_FOLDER=" + path().string());
    CHECK(run(kToy, kRun).exit_code == 0);
    fs::rename(path() / "out/toy-steps", path() / "results");
    set("TOY_LOG=" + (path() / "log").string());
  }
  [[nodiscard]] bool simulated() const { return fs::exists(path() / "log"); }
};

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.8 fast mode simulates nothing and copies the committed data, asked for by option or by environment") {
    Committed place;
    const auto check = [&place](const std::vector<std::string>& command) {
      const Ended ended = place.run(kToy, command);
      CHECK(ended.exit_code == 0);
      CHECK(ended.err == "not simulated: " + (place.path() / "results/results.json").string() + " is up to date\n");
      CHECK(ended.out.find("4          44.0    50.0 %    40.0  +10.0 %") != std::string::npos);
      CHECK_FALSE(place.simulated());
      for (const char* file : {"results.json", "results.csv", "theory.json", "theory.csv"}) {
        CHECK(kernbench::read_file(place.path() / "out/toy-steps" / file) ==
              kernbench::read_file(place.path() / "results" / file));
      }
      fs::remove_all(place.path() / "out");
    };
    check(kFast);
    place.set("MILESTONE_FAST=1");
    check({"run", "--bench", "toy-steps"});
    place.set("MILESTONE_FAST=0");
    CHECK(place.run(kToy, kRun).exit_code == 0);
    CHECK(place.simulated());
  }

  TEST_CASE("9.8 stale committed results are used and called stale, with what differs") {
    Committed place;
    std::vector<std::string> other_machine = kFast;
    other_machine.insert(other_machine.end(), {"--set", "pe.stream_depth=3"});
    const Ended ended = place.run(kToy, other_machine);
    CHECK(ended.exit_code == 0);
    CHECK(ended.err.find("warning: not simulated, and the committed results are STALE: machine milestone-1h (recorded "
                         "hash ") == 0);

    const fs::path file = place.path() / "results/results.json";
    auto results = kernbench::parse_results(kernbench::read_file(file), "results.json");
    results.source.bench = "0";
    kernbench::write_file(file, format_results(results));
    CHECK(place.run(kToy, kFast).err.find("STALE: bench version (recorded 0, now 1)") != std::string::npos);
    CHECK_FALSE(place.simulated());

    const Json list = Json::parse(place.run(kToy, {"list", "--json"}).out);
    CHECK(list[1]["committed"] == "stale");
    CHECK(list[1]["why"] == "bench version (recorded 0, now 1)");
    kernbench::write_file(file, "{");
    CHECK(Json::parse(place.run(kToy, {"list", "--json"}).out)[1]["committed"] == "unreadable");
    CHECK(place.run(kToy, kFast).exit_code == 2);
  }

  TEST_CASE("9.8 fast mode without committed results is refused with what to do") {
    Workplace place;
    place.set("TOY_FOLDER=" + place.path().string());
    const Ended ended = place.run(kToy, kFast);
    CHECK(ended.exit_code == 2);
    CHECK(ended.err == "error: --fast: toy-steps has no committed results in " + (place.path() / "results").string() +
                           ": run it without --fast first\n");
  }
}
