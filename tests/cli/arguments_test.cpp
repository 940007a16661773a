// Command lines that were read as something else, or crashed: each is refused, with the option and what was expected.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace {

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(kProgram, arguments);
  CAPTURE(arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(ended.err.starts_with("error: " + message), ended.err);
}

std::vector<std::string> small_gemm(const std::vector<std::string>& more) {
  std::vector<std::string> words{"sim", "gemm", "--k", "32", "--n", "32", "--variant", "ref_ref"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.1 numbers of commands are decimal, finite and in the range of --help") {
    check_refused(small_gemm({"--m", "0x20"}), "--m: expected a whole number from 1 to 1000000, got '0x20'");
    check_refused(small_gemm({"--m", "99999999999999999999"}), "--m: expected a whole number from 1 to 1000000");
    check_refused({"sim", "noc", "--warm-up", "9223372036854775807"}, "--warm-up: expected a whole number from 0 to");
    check_refused({"sim", "noc", "--seed", "-1"}, "--seed: expected a whole number from 0 to 9223372036854775807");
    check_refused({"sim", "noc", "--seed", "18446744073709551616"}, "--seed: expected a whole number");
    check_refused({"sim", "noc", "--mesh", "4x+4"}, "--mesh 4x+4: expected rows x columns");
    check_refused({"sim", "noc", "--hotspot-fraction", "nan"}, "--hotspot-fraction: expected a number from 0 to 1");
    check_refused({"sim", "collective", "--ranks", "8.5"}, "--ranks: expected a whole number from 0");
    check_refused({"sim", "collective", "--root", "-1", "--collective", "broadcast"}, "--root: expected a whole");
    check_refused({"run", "--bench", "milestone-1h-gemm", "--jobs", "-1"}, "--jobs: expected a whole number from 0 to");
    const Workplace place;
    CHECK(place.run(kProgram, small_gemm({"--m", "010"})).out.starts_with("gemm 10x32x32 "));
    CHECK(place.run(kProgram, {"sim", "gemm", "--help"}).out.find("(1..1000000)") != std::string::npos);
  }

  TEST_CASE("26.2 a time limit of nan or of less than a millisecond is refused, not taken for none") {
    for (const char* text : {"nan", "1e-9", "-1", "inf"}) {
      check_refused(small_gemm({"--m", "32", "--timeout", text}),
                    "--timeout: expected seconds, 0 or from 0.001 to 1e9, got");
      check_refused({"run", "--bench", "milestone-1h-gemm", "--timeout", text}, "--timeout: expected seconds");
    }
  }

  TEST_CASE("26.3 an empty argument is refused, whatever the option") {
    check_refused(small_gemm({"--m", "32", "--topology", ""}), "--topology: expected a value, got an empty text");
    check_refused(small_gemm({"--m", "32", "--trace", ""}), "--trace: expected a value, got an empty text");
    check_refused(small_gemm({"--m", "32", "--json", ""}), "--json: expected a value, got an empty text");
    check_refused({"topology", "check", ""}, "argument 3: expected a value, got an empty text");
    check_refused(small_gemm({"--m", "32", "--topology=", "--verify"}), "--topology=: expected a value after the '='");
    check_refused({"reference", "show", "a\xFF"}, "argument 3: expected UTF-8, got other bytes");
  }

  TEST_CASE("26.4 a list with nothing between its commas is refused") {
    for (const char* text : {",", ",,", ",1KiB", "1KiB,,2KiB", "1KiB,"}) {
      check_refused({"sim", "collective", "--sizes", text},
                    "--sizes " + std::string(text) + ": expected a value before and after each ','");
    }
    check_refused({"sim", "collective", "--algorithm", "ring,"}, "--algorithm ring,: expected a value");
    check_refused({"sim", "noc", "--rate", "0.1,"}, "--rate 0.1,: expected a value");
    check_refused({"sim", "noc", "--traffic", "hotspot", "--hotspot-nodes", "1,,2"}, "--hotspot-nodes 1,,2: ");
    check_refused({"probe", "--bytes", "256B,"}, "--sizes 256B,: expected a value");
    check_refused({"probe", "--only", "own-*,"}, "--only own-*,: expected a value");
    check_refused({"run", "--bench", "milestone-1h-gemm", "--only", "variant=ref_ref,"}, "--only variant=ref_ref,: ");
    check_refused({"reference", "show", "nvidia-h200", "--only", "dtype=bf16,,"}, "--only dtype=bf16,,: ");
  }

  TEST_CASE("26.5 an import of a device or a pipe ends, and a deep or doubled document is refused with its place") {
    check_refused({"reference", "import", "/dev/zero"}, "cannot read /dev/zero: expected a file, got a device");
    const Workplace place;
    const std::string pipe = place.path() / "pipe.json";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    check_refused({"reference", "import", pipe}, "cannot read " + pipe + ": expected a file, got a pipe");
    check_refused({"topology", "check", pipe}, "cannot read " + pipe + ": expected a file, got a pipe");
    const std::string deep = place.path() / "deep.json";
    std::ofstream(deep) << std::string(100'000, '[');
    check_refused({"reference", "import", deep}, deep + ":1:65: expected at most 64 arrays and objects");
    check_refused({"reference", "import", "x.json", "--device", deep}, deep + ":1:65: expected at most 64 arrays");
    const std::string twice = place.path() / "twice.json";
    std::ofstream(twice) << "{\"schema\": \"kernbench.device/1\",\n \"schema\": \"x\"}";
    check_refused({"reference", "import", twice}, twice + ":2:9: the field \"schema\" is there twice");
  }

  TEST_CASE("26.6 rows of an interrupted run that are nested too deep are no rows") {
    const Workplace place;
    const std::vector<std::string> run{"run", "--bench", "toy-steps", "--only", "size=1"};
    REQUIRE(place.run(kToy, run).exit_code == 0);
    std::ofstream(place.path() / "out/toy-steps/partial.jsonl") << "{\"schema\":\"kernbench.partial/1\"}\n"
                                                                << std::string(100'000, '[') << "\n{\n";
    CHECK(place.run(kToy, run).exit_code == 0);
  }

  TEST_CASE("26.8 control characters of an argument do not reach the terminal") {
    check_refused({"run", "--bench", "a\x1b[31mb"}, "--bench: unknown bench 'a\\x1b[31mb'");
  }
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.11 an option that would have no effect is refused") {
    const auto refused_of = [](const std::vector<std::string>& arguments) {
      const Workplace place;
      const Ended ended = place.run(kProgram, arguments);
      CHECK(ended.exit_code == 2);
      return ended.err;
    };
    CHECK(has(refused_of({"run", "transfer", "--seed", "3"}), "--sample"));
    CHECK(has(refused_of({"sim", "transfer", "--packet", "4 KiB", "--set", "simulation.packet_bytes=256 B"}),
              "--packet 4 KiB: expected no --set simulation.packet_bytes=256 B beside it"));
    CHECK(has(refused_of({"sim", "noc", "--hotspot-fraction", "0.2"}), "--hotspot-fraction needs --traffic hotspot"));
    CHECK(has(refused_of({"sim", "collective", "--values", "bf16"}), "--verify"));
  }
}
