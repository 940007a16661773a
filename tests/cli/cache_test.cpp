// The cache as the commands use it: what is known is not simulated, and nobody sees another number for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;
namespace fs = std::filesystem;

namespace {

using Arguments = std::vector<std::string>;

/// A sweep of the toy bench, whose simulations leave a line each in a log.
class Sweeps {
 public:
  Ended run(const std::string& values, const Arguments& more = {}) {
    fs::remove(log());
    Arguments command{"run",          "toy-steps",       "--sweep",  "pe.stream_depth=" + values,
                      "--no-figures", "--no-provenance", "--replace"};
    command.insert(command.end(), more.begin(), more.end());
    return place_.run(kToy, command, {"TOY_LOG=" + log().string()});
  }

  [[nodiscard]] std::size_t simulated() const {
    std::ifstream file(log());
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
  }
  [[nodiscard]] std::string results() const {
    return kernbench::read_file(place_.path() / "out/toy-steps-sweep/results.json");
  }
  [[nodiscard]] Ended command(const Arguments& arguments) const { return place_.run(kToy, arguments); }
  [[nodiscard]] fs::path cache() const { return place_.path() / ".cache/evaluations.sqlite"; }
  Workplace& place() { return place_; }

 private:
  [[nodiscard]] fs::path log() const { return place_.path() / "log"; }

  Workplace place_;
};

}  // namespace

TEST_SUITE("ADR-0037") {
  TEST_CASE("37.3 37.8 a repeated sweep simulates nothing, an extended one what is new, with the same bytes") {
    Sweeps sweeps;
    CHECK(has(sweeps.run("1,2", {"--dry-run"}).out, "0 known"));
    CHECK_FALSE(fs::exists(sweeps.cache()));
    REQUIRE(sweeps.run("1,2").exit_code == 0);
    CHECK(sweeps.simulated() == 8);
    const std::string results = sweeps.results();
    const Ended again = sweeps.run("1,2");
    CHECK(again.exit_code == 0);
    CHECK(sweeps.simulated() == 0);
    CHECK_MESSAGE(has(again.err, "8 of 8 points are known from other runs"), again.err);
    CHECK(sweeps.results() == results);

    const Ended plan = sweeps.run("1,2,4", {"--dry-run"});
    CHECK_MESSAGE(has(plan.out, "8 known"), plan.out);
    CHECK(sweeps.run("1,2,4").exit_code == 0);
    CHECK(sweeps.simulated() == 4);
    const std::string extended = sweeps.results();
    CHECK(sweeps.run("1,2,4", {"--no-cache"}).exit_code == 0);
    CHECK(sweeps.simulated() == 12);
    CHECK(sweeps.results() == extended);
    CHECK(sweeps.run("1,2,4", {"--fresh"}).exit_code == 0);
    CHECK(sweeps.simulated() == 12);
    CHECK(sweeps.results() == extended);
  }

  TEST_CASE("37.1 another machine, and values on the way, are other evaluations") {
    Sweeps sweeps;
    REQUIRE(sweeps.run("1,2").exit_code == 0);
    CHECK(sweeps.run("1,2", {"--set", "pe.clock=500 MHz"}).exit_code == 0);
    CHECK(sweeps.simulated() == 8);
    CHECK(sweeps.run("1,2", {"--verify"}).exit_code == 0);
    CHECK(sweeps.simulated() == 8);
    CHECK(sweeps.run("1,2", {"--verify"}).exit_code == 0);
    CHECK(sweeps.simulated() == 0);
  }

  TEST_CASE("37.3 a run without a sweep simulates, and makes no cache") {
    Sweeps sweeps;
    const Ended plain = sweeps.command({"run", "toy-steps", "--no-figures"});
    REQUIRE(plain.exit_code == 0);
    CHECK_FALSE(fs::exists(sweeps.cache()));
  }

  TEST_CASE("37.2 a point that fails is tried again") {
    const Workplace place;
    const Arguments sweep{"run",     "toy-faults",          "--only",       "fault=none,fault=abort",
                          "--sweep", "pe.stream_depth=1,2", "--no-figures", "--replace"};
    CHECK(place.run(kToy, sweep).exit_code == 1);
    const Ended again = place.run(kToy, sweep, {});
    CHECK(again.exit_code == 1);
    CHECK_MESSAGE(has(again.err, "killed by SIGABRT"), again.err);
  }

  TEST_CASE("37.7 a cache that is broken is a warning, with the same results and exit code") {
    Sweeps sweeps;
    REQUIRE(sweeps.run("1,2").exit_code == 0);
    const std::string results = sweeps.results();
    kernbench::write_file(sweeps.cache(), "no database at all, and long enough to be read as one");
    const Ended broken = sweeps.run("1,2");
    CHECK(broken.exit_code == 0);
    CHECK(sweeps.simulated() == 8);
    CHECK(sweeps.results() == results);
    CHECK_MESSAGE(has(broken.err, "going on without the cache " + sweeps.cache().string()), broken.err);
    CHECK(has(broken.err, "kernbench dev cache prune --all"));
    const Ended stat = sweeps.command({"dev", "cache", "stat"});
    CHECK(stat.exit_code == 2);
    CHECK(has(stat.err, "cannot be used"));
    CHECK(sweeps.command({"dev", "cache", "prune", "--all"}).exit_code == 0);
    CHECK(sweeps.run("1,2").exit_code == 0);
    CHECK(sweeps.run("1,2").exit_code == 0);
    CHECK(sweeps.simulated() == 0);
  }

  TEST_CASE("37.9 stat counts rows by workload, prune removes them") {
    Sweeps sweeps;
    CHECK(has(sweeps.command({"dev", "cache", "stat"}).out, "nothing is kept in"));
    REQUIRE(sweeps.run("1,2").exit_code == 0);
    const Ended stat = sweeps.command({"dev", "cache", "stat"});
    CHECK(stat.exit_code == 0);
    CHECK_MESSAGE(has(stat.out, "toy-steps"), stat.out);
    const Json json = Json::parse(sweeps.command({"dev", "cache", "stat", "--json"}).out);
    CHECK(json.at("file") == sweeps.cache().string());
    CHECK(json.at("workloads").at(0).at("rows") == 8);
    CHECK(json.at("workloads").at(0).at("usable") == 8);
    CHECK(has(sweeps.command({"dev", "cache", "prune"}).out, "0 rows removed, 8 left"));
    CHECK(has(sweeps.command({"dev", "cache", "prune", "--older-than", "1"}).out, "0 rows removed, 8 left"));
    CHECK(Json::parse(sweeps.command({"dev", "cache", "prune", "--all", "--json"}).out).at("removed") == 8);
    CHECK(sweeps.run("1,2").exit_code == 0);
    CHECK(sweeps.simulated() == 8);
    CHECK(sweeps.command({"dev", "cache", "prune", "--all", "--older-than", "1"}).exit_code == 2);
  }

  TEST_CASE("37.1 a collective is known by all that it follows from, its root and chunk too") {
    const Workplace place;
    const auto ask = [&](const Arguments& more) {
      Arguments arguments{"whatif",      "collective", "--collective", "broadcast", "--algorithm",
                          "binary_tree", "--sizes",    "1KiB",         "--stairs",  "0"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Ended ended = place.run(kProgram, arguments);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return ended.out;
    };
    CHECK(has(ask({}), "machines simulated"));
    CHECK(has(ask({}), " known"));
    CHECK(has(ask({"--root", "1"}), "machines simulated"));
    CHECK(has(ask({"--chunk", "64B"}), "machines simulated"));
    CHECK(has(ask({"--ranks", "7"}), "machines simulated"));
  }

  TEST_CASE("37.3 37.8 a question that is asked again is answered from the cache, and by a sweep that asks the same") {
    const Workplace place;
    const Arguments question{
        "whatif", "bench", "milestone-1h-gemm", "--only", "shape=32x64x32,variant=ref_ref", "--stairs", "0", "--json",
        "FILE",   "--wide"};
    const auto ask = [&](const std::string& file, const Arguments& more = {}) {
      Arguments arguments = question;
      *std::ranges::find(arguments, "FILE") = file;
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Ended ended = place.run(kProgram, arguments);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return ended.out;
    };
    CHECK(has(ask("first.json"), "machines simulated"));
    const std::string again = ask("again.json");
    const std::size_t runs = again.find("runs");
    REQUIRE(runs != std::string::npos);
    const std::string count = again.substr(again.find_first_of("0123456789", runs));
    const std::string machines = count.substr(0, count.find(' '));
    CHECK_MESSAGE(has(count, machines + " machines, " + machines + " known"), count);
    CHECK(has(ask("without.json", {"--no-cache"}), "machines simulated"));
    const std::string first = kernbench::read_file(place.path() / "first.json");
    CHECK(kernbench::read_file(place.path() / "again.json") == first);
    CHECK(kernbench::read_file(place.path() / "without.json") == first);

    const Ended sweep = place.run(kProgram, {"run", "milestone-1h-gemm", "--only", "shape=32x64x32,variant=ref_ref",
                                             "--no-figures", "--sweep", "die.hbm.bandwidth=128,256,512 GB/s"});
    CHECK(sweep.exit_code == 0);
    CHECK_MESSAGE(has(sweep.err, "3 of 3 points are known"), sweep.err);
  }
}
