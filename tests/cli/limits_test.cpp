// Commands asked for what they cannot do: refused within moments, with what it would have taken.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace {

/// Refused as wrong input, with the estimate, before anything is done that takes time.
void check_too_large(const std::vector<std::string>& arguments, const std::vector<std::string>& said) {
  const Workplace place;
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = place.run(kProgram, arguments);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CAPTURE(arguments.front() + " " + arguments.at(1));
  CAPTURE(ended.err);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK(took.count() < 20);  // seconds, of a machine that does much else
  for (const std::string& part : said) CHECK_MESSAGE(has(ended.err, part), ended.err);
}

std::vector<std::string> on(std::vector<std::string> command, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) command.insert(command.end(), {"--set", key});
  return command;
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.13 a machine beyond memory is refused by each command that would plan it") {
    const std::vector<std::string> keys{"system.packages.columns=1024", "package.die_to_die.connections=4096"};
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"topology", "check"}, {"topology", "show"}, {"topology", "diagram"}, {"probe"}}) {
      auto arguments = on(command, keys);
      arguments.insert(arguments.end(), {"--memory", "128 MiB"});
      check_too_large(arguments, {"needs about", "may take 128 MiB (--memory 128 MiB)", "links of the network", "fewer",
                                  "or raise --memory"});
    }
  }

  TEST_CASE("10.13 so are schedules of too many steps, values and queues that are too many, and meshes") {
    const std::vector<std::string> large{"system.packages.columns=64", "die.router.virtual_channels=2"};
    check_too_large(on({"sim", "collective", "--ranks", "8192", "--memory", "4 GiB"}, large),
                    {"all_reduce ring of 1 MiB, 8,192 ranks on", "268,402,688 steps of the schedule: 16 GiB"});
    check_too_large(on({"sim", "collective", "--ranks", "8192", "--algorithm", "direct", "--memory", "4 GiB"}, large),
                    {"67,100,672 message queues"});
    check_too_large({"sim", "collective", "--sizes", "64MiB", "--chunk", "2B", "--memory", "4 GiB"},
                    {"steps of the schedule", "a larger chunk"});
    check_too_large(
        {"sim", "gemm", "--m", "12288", "--k", "12288", "--n", "12288", "--variant", "ref_ref", "--verify", "--memory",
         "1 GiB"},
        {"gemm 12288x12288x12288", "bytes of matrices, in HBM and in TCM, whose values are carried", "no --verify"});
    check_too_large({"sim", "noc", "--mesh", "1024x1024", "--memory", "1 GiB"},
                    {"mesh of 1024x1024: needs about", "1,048,576 routers"});
  }

  TEST_CASE("10.13 so is a point of a bench, before any of its points is run") {
    check_too_large(
        {"run", "--bench", "milestone-1h-ccl", "--set", "system.packages.columns=1024", "--memory", "40 MiB"},
        {"needs about", "(--memory 40 MiB)", "--only"});
  }

  TEST_CASE("10.13 --memory is a size") {
    check_too_large({"topology", "check", "--memory", "much"}, {"--memory: expected"});
    check_too_large({"topology", "check", "--memory", "1 KiB"}, {"--memory 1 KiB: expected 40 MiB or more"});
  }

  TEST_CASE("10.14 --timeout covers planning") {
    const Workplace place;
    const Ended ended = place.run(kProgram, on({"topology", "check", "--timeout", "0.05"},
                                               {"system.packages.columns=1024", "system.arrangement=fully_connected"}));
    CHECK(ended.exit_code == 1);
    CHECK(ended.out.empty());
    CHECK_MESSAGE(has(ended.err, "planning: timed out after 0.05 s"), ended.err);
  }

  TEST_CASE("10.14 64 x 64 dies are planned in seconds") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram, on({"topology", "check", "--timeout", "60"}, {"package.dies.rows=64", "package.dies.columns=64"}));
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "204,804 nodes, 540,166 links"));
  }
}
