// `kernbench probe` from outside: tables, verdicts, results document, refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/cli/program.hpp"

namespace {

Ended probe(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"probe", "--wide"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Workplace().run(kProgram, arguments);
}

void check_probe_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Ended ended = probe(arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(has(ended.err, message), ended.err);
}

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.11 all checks passed: exit code 0, and a verdict for each") {
    const Ended ended = probe({});
    CHECK(ended.exit_code == 0);
    CHECK(ended.err.empty());
    for (const char* check : {"exact", "bounded", "distance", "direction", "utilisation", "contention"}) {
      CHECK_MESSAGE(has(ended.out, std::string("\npass  ") + check), check);
    }
    CHECK_FALSE(has(ended.out, "FAIL"));
    CHECK(has(ended.out, "112.060           112.060  exact"));
    CHECK(has(ended.out, "bound, +1.2 %"));
  }

  TEST_CASE("21.9 where a write outruns the HBM it says what the HBM takes, as topology show does") {
    const std::vector<std::string> slower{"--only", "own-hbm-*", "--set", "die.hbm.bandwidth=64 GB/s"};
    const Ended ended = probe(slower);
    CHECK(ended.exit_code == 0);
    const auto words = [](const Ended& of) { return std::regex_replace(of.out, std::regex("\\s+"), " "); };
    CHECK_MESSAGE(has(words(ended), "when these are full the HBM takes 64.0 GB/s"), ended.out);
    CHECK_FALSE(has(words(probe({"--only", "own-hbm-*"})), "when these are full"));
    const Workplace place;
    const Ended shown = place.run(kProgram, {"topology", "show", "--set", "die.hbm.bandwidth=64 GB/s"});
    CHECK(has(shown.out, "TCM to own HBM                   = 64 GB/s"));
  }
}

TEST_CASE("probe shows what was asked for, terms and hops, and what the machine has no place for") {
  const Ended hops = probe({"--only", "own-hbm-read", "--bytes", "256B,4KiB", "--hops"});
  CHECK(hops.exit_code == 0);
  CHECK(has(hops.out,
            "4.000 set-up + 2.030 request + 8.000 burst + 32.000 memory latency + 1.000 slowest link or port + "
            "2.030 way = 49.060 ns"));
  CHECK(has(hops.out, "15.000 for 15 packets more = 64.060 ns"));
  CHECK(has(hops.out, "package0.die0.pe0 TCM write port"));
  CHECK_FALSE(has(hops.out, "own-hbm-write"));
  CHECK(has(hops.out, "----  contention"));
  const Ended none = probe({"--set", "system.packages.columns=1", "--only", "other-*"});
  CHECK(none.exit_code == 0);
  CHECK(has(none.out, "none  other-package-near: one package\n"));
  CHECK(has(none.out, "other-die-far-write"));
  const Ended bound = probe({"--set", "package.die_to_die.buffer=1KiB", "--only", "die-to-die", "--hops"});
  CHECK(bound.exit_code == 0);
  CHECK(has(bound.out, "a bound, because the buffer behind package0.die0.router3"));
}

TEST_CASE("probe --json is a results document, the same every time") {
  const Workplace place;
  const std::vector<std::string> arguments{"probe", "--only", "own-*,contend-2", "--hops", "--json"};
  const Ended ended = place.run(kProgram, arguments);
  CHECK(ended.exit_code == 0);
  const auto results = kernbench::parse_results(ended.out, "stdout");
  CHECK(results.bench == "probe");
  REQUIRE(results.rows.size() == 3 + 2 * 4 + 6);
  CHECK(results.rows[0].point["probe"] == "own-hbm-read");
  CHECK(results.rows[0].metrics.json()["time_ns"] == 112.06);
  CHECK(results.rows[0].metrics.json()["closed_form"] == "exact");
  CHECK(results.rows[2].metrics.json()["closed_form"] == "bound");
  CHECK(results.rows[2].metrics.json()["limited_by"] == "package0.die0.hbm0 -> package0.die0.router0");
  CHECK(results.rows[3].point["at"] == "package0.die0.hbm0");
  CHECK(results.rows[3].metrics.json()["enters_ns"] == 6.03);
  CHECK(results.rows.back().point["check"] == "contention");
  std::vector<std::string> to_file = arguments;
  to_file.emplace_back("probe.json");
  const Ended with_table = place.run(kProgram, to_file);
  CHECK(has(with_table.out, "own-hbm-read"));
  CHECK(kernbench::read_file(place.path() / "probe.json") == ended.out);
}

TEST_CASE("probe refuses wrong input and says what is right") {
  check_probe_refused({"--sizes", "16"}, "--sizes 16: expected a size");
  check_probe_refused({"--bytes", "300B"}, "expected a multiple of simulation.packet_bytes, 256 B, of at most 16 MiB");
  check_probe_refused({"--sizes", "256B,,512B"}, "--sizes 256B,,512B: expected");
  check_probe_refused({"--bytes", "32MiB"}, "the smallest of pe.tcm.capacity");
  check_probe_refused({"--only", "own-hbm-raed"}, "did you mean 'own-hbm-read'?");
  check_probe_refused({"--only", "own-*,nothing*"}, "unknown probe 'nothing*'");
  check_probe_refused({"--only", ""}, "--only: expected a value, got an empty text");
  check_probe_refused({"--set", "pe.dma.setup=1ns"}, "expected one of setup_latency");
}

TEST_CASE("probe says what took longer than --timeout, and fails") {
  const Ended ended = probe({"--only", "sram-read", "--bytes", "16MiB", "--timeout", "0.001"});
  CHECK(ended.exit_code == 1);
  CHECK((has(ended.err, "error: planning: timed out") || has(ended.err, "error: sram-read: timed out")));
}
