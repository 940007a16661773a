// The program from outside: exit codes, messages, files.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "benches/results/rows/store.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using kernbench::Json;

namespace {

std::vector<std::string> run_of(const std::string& bench, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"run", "--bench", bench};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Wrong input: exit code 2, the message on stderr alone, nothing written.
void check_refused(const std::string& program, const std::vector<std::string>& arguments, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(program, arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(ended.err.find(message) != std::string::npos, ended.err);
  CHECK_FALSE(fs::exists(place.path() / "out"));
}

/// What a run says of its points on stderr, in the order of the points; without count and time left.
std::vector<std::string> rows_of(const std::string& err) {
  std::vector<std::string> rows;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("  ("));
    rows.push_back(line.substr(line.find("  ") + 2));
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

TEST_CASE("wrong input is refused with the nearest valid name, exit code 2, and nothing written") {
  check_refused(kProgram, {"rnu"}, "error: unknown command 'rnu': did you mean 'run'?");
  check_refused(kProgram, {}, "--help lists the commands");
  check_refused(kProgram, run_of("milestone-1h-gem"), "did you mean 'milestone-1h-gemm'?");
  check_refused(kProgram, run_of("milestone-1h-gemm", {"--only", "shape=128x128x12"}), "did you mean '128x128x128'?");
  check_refused(kProgram, run_of("milestone-1h-gemm", {"--set", "pe.clok=1 GHz"}), "did you mean 'pe.clock'?");
  check_refused(kProgram, run_of("milestone-1h-gemm", {"--topology", "nowhere.yaml"}), "nowhere.yaml");
  check_refused(kToy, run_of("toy-steps", {"--jobs", "many"}), "--jobs");
  check_refused(kToy, run_of("toy-steps", {"--frsh"}), "kernbench run --help lists the options");
  check_refused(kToy, run_of("toy-steps", {"--quiet", "-v"}), "excludes");
}

TEST_CASE("help ends with examples") {
  const Workplace place;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}}) {
    const Ended ended = place.run(kProgram, arguments);
    CHECK(ended.exit_code == 0);
    CHECK(ended.out.find("Examples:\n  kernbench ") != std::string::npos);
  }
}

TEST_CASE("a run writes its results, says each point, prints them beside the bound, then names what to open") {
  const Workplace place;
  const Ended ended = place.run(kToy, run_of("toy-steps", {"--only", "size=1,size=4"}));
  CHECK(ended.exit_code == 0);
  CHECK(rows_of(ended.err) == std::vector<std::string>{"1  11.0 ns", "4  44.0 ns"});  // no bar: not a terminal
  CHECK(ended.out ==
        "size  time (ns)  MAC util  bound    above  flags\n"
        "────  ─────────  ────────  ─────  ───────  ──────────\n"
        "1          11.0    50.0 %   10.0  +10.0 %  under_tile\n"
        "4          44.0    50.0 %   40.0  +10.0 %\n"
        "\n4 files written to out/toy-steps\n"
        "open out/toy-steps/results.json\n");
  const auto results = kernbench::read_results(place.path() / "out/toy-steps/results.json");
  REQUIRE(results.rows.size() == 2);
  CHECK(results.rows[1].metrics.json()["time_ns"] == 44.0);
  CHECK(results.source.machine == "milestone-1h");
  CHECK(results.provenance.contains("host"));
}

TEST_CASE("--set changes the machine that is simulated and the hash that results carry") {
  const Workplace place;
  const auto hash_and_time = [&place](const std::vector<std::string>& more) {
    CHECK(place.run(kToy, run_of("toy-steps", more)).exit_code == 0);
    const auto results = kernbench::read_results(place.path() / "out/toy-steps/results.json");
    return std::pair{results.source.machine_sha256, results.rows[0].metrics.json()["time_ns"].get<double>()};
  };
  const auto as_it_is = hash_and_time({"--no-provenance"});
  const auto slower = hash_and_time({"--set", "pe.clock=500 MHz", "--no-provenance", "--replace"});
  CHECK(as_it_is.second == 11.0);
  CHECK(slower.second == 22.0);
  CHECK(as_it_is.first != slower.first);
  CHECK(kernbench::read_results(place.path() / "out/toy-steps/results.json").provenance.empty());
}

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.12 results say what --set gave and by which command, and those of another machine are not overwritten") {
    const Workplace place;
    const std::string file = "out/toy-steps/results.json";
    REQUIRE(place.run(kToy, run_of("toy-steps", {"--set", "pe.stream_depth=02"})).exit_code == 0);
    const auto first = kernbench::read_results(place.path() / file);
    CHECK(first.source.settings == std::map<std::string, std::string>{{"pe.stream_depth", "2"}});
    CHECK(first.provenance.at("command") == "kernbench run --bench toy-steps --set pe.stream_depth=02");

    const Ended refused = place.run(kToy, run_of("toy-steps", {"--set", "pe.stream_depth=3"}));
    CHECK(refused.exit_code == 2);
    CHECK_MESSAGE(has(refused.err, file + " has results of another experiment: pe.stream_depth (recorded 2, now 3)"),
                  refused.err);
    CHECK(has(refused.err, "--replace"));
    CHECK(kernbench::read_results(place.path() / file).source.settings == first.source.settings);

    CHECK(place.run(kToy, run_of("toy-steps", {"--replace"})).exit_code == 0);
    const auto replaced = kernbench::read_results(place.path() / file).source;
    CHECK(replaced.settings.empty());
    CHECK(replaced.machine_sha256 != first.source.machine_sha256);
    CHECK(place.run(kToy, run_of("toy-steps")).exit_code == 0);  // of the same machine: as before
  }
}

TEST_CASE("--quiet says nothing when all is well; -v names each file") {
  const Workplace place;
  const Ended quiet = place.run(kToy, run_of("toy-steps", {"--quiet"}));
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.out + quiet.err == "");
  CHECK(place.run(kToy, run_of("toy-steps", {"-v"}))
            .out.find("4 files written to out/toy-steps:\n"
                      "  out/toy-steps/results.json\n") != std::string::npos);
}

TEST_CASE("list says what there is and in which state") {
  const Workplace place;
  const Ended ended = place.run(kProgram, {"list", "--json"});
  CHECK(ended.exit_code == 0);
  const Json list = Json::parse(ended.out);
  const auto milestone =
      std::ranges::find_if(list, [](const Json& bench) { return bench["name"] == "milestone-1h-gemm"; });
  REQUIRE(milestone != list.end());
  CHECK((*milestone)["points"] == 32);
  CHECK((*milestone)["axes"]["variant"] == Json{"ref_ref", "load_ref", "load_load", "blocked"});
  CHECK(list[1]["open_axes"][0] == "m");
  const auto universal =
      std::ranges::find_if(list, [](const Json& bench) { return bench["name"] == "universal-gemm"; });
  CHECK(universal->at("sets").at("shape").at("smoke") == Json{"1024x1024x1024", "1000x520x777"});
  CHECK(place.run(kToy, {"list"}).out ==
        "bench       points  committed results  summary\n"
        "──────────  ──────  ─────────────────  ───────────────────────────\n"
        "toy-faults       4  none               One point of each fault\n"
        "toy-steps        4  none               Time in proportion to size\n"
        "toy-wait         1  none               Nothing, for so many cycles\n");
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.4 in a pipe a run says its points one by one and overwrites nothing") {
    const Workplace place;
    const Ended ended = place.run(kToy, run_of("toy-steps", {"--jobs", "1"}));
    CHECK(ended.err.find("1/4  1  11.0 ns") == 0);
    CHECK(ended.err.find("\n4/4  4  44.0 ns\n") != std::string::npos);
    CHECK(ended.err.find('\r') == std::string::npos);
    CHECK(ended.err.find('\033') == std::string::npos);
  }

  TEST_CASE("27.8 --dry-run lists the points and what is known of them, and writes nothing") {
    const Workplace place;
    CHECK(place.run(kToy, run_of("toy-steps", {"--plan"})).out ==
          place.run(kToy, run_of("toy-steps", {"--dry-run"})).out);
    const Ended ended = place.run(kToy, run_of("toy-steps", {"--dry-run", "--only", "size=1,size=4"}));
    CHECK(ended.exit_code == 0);
    CHECK(ended.out ==
          "size  of the work  state\n"
          "────  ───────────  ──────\n"
          "1          50.0 %  to run\n"
          "4          50.0 %  to run\n"
          "\n2 points, 0 known from earlier runs; to run: 100 % of the work, by the bench's\n"
          "estimate. Nothing was run or written.\n");
    CHECK_FALSE(fs::exists(place.path() / "out"));
  }

  TEST_CASE("27.7 a run names last what to open; its table has what limits each point, and the speed-up") {
    const Workplace place;
    const Ended ended = place.run(kProgram, run_of("milestone-1h-gemm", {"--fast"}));
    CHECK(ended.exit_code == 0);
    CHECK(ended.out.ends_with("files written to out/milestone-1h-gemm\nopen out/milestone-1h-gemm/index.html\n"));
    CHECK(ended.out.find("speed-up") != std::string::npos);
    CHECK(ended.out.find("HBM bandwidth") != std::string::npos);
    CHECK(ended.out.find("1.00x") != std::string::npos);
    const std::string gemm =
        place.run(kProgram, {"run", "gemm", "--only", "m=32,k=64,n=32", "--no-figures", "--wide"}).out;
    REQUIRE(has(gemm, "bound by"));
    CHECK(gemm.find("bound by") == gemm.rfind("bound by"));
  }
}

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.2 a run with failed points writes all rows, gives the reasons, and ends with exit code 1") {
    const Workplace place;
    const Ended ended = place.run(kToy, run_of("toy-faults", {"--timeout", "0.3"}));
    CHECK(ended.exit_code == 1);
    CHECK(ended.err.find("error: throw: deadlock: pe0.dma waits for credits\n") != std::string::npos);
    CHECK(ended.err.find("error: 3 of 4 rows failed\n") != std::string::npos);
    CHECK(ended.out.find("\nfailed: killed by SIGABRT (Aborted)\n  abort\n") != std::string::npos);
    CHECK(ended.out.find("\nfailed: timed out after 0.3 s\n  hang\n") != std::string::npos);
    CHECK(kernbench::read_results(place.path() / "out/toy-faults/results.json").rows.size() == 4);
  }
}
