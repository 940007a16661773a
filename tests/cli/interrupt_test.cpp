// Ctrl-C in the middle of a run, and the run that goes on from there.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "benches/io/files/write_file.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

std::size_t lines_in(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.4, 10.6 Ctrl-C keeps what was done, and the same command goes on from there") {
    const std::vector<std::string> command{"run", "--bench", "toy-steps", "--jobs", "2", "--no-provenance"};
    Workplace place;
    place.set("TOY_LOG=" + (place.path() / "log").string());
    CHECK(place.run(kToy, command).exit_code == 0);
    const fs::path results = place.path() / "out/toy-steps/results.json";
    const std::string undisturbed = kernbench::read_file(results);
    fs::create_directories(place.path() / "committed");
    fs::rename(place.path() / "out/toy-steps", place.path() / "committed/results");
    fs::remove(place.path() / "log");

    // Sizes 1 and 2 run through, 3 and 4 wait at the gate.
    place.set("TOY_GATE=" + (place.path() / "gate").string());
    const fs::path partial = place.path() / "out/toy-steps/partial.jsonl";
    const pid_t pid = place.start(kToy, command);
    for (int i = 0; i < 2000 && lines_in(partial) < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(lines_in(partial) == 3);  // the header and two rows

    // Meanwhile nobody else writes there: no second run, and no committed results either.
    const Workplace elsewhere;
    std::vector<std::string> second = command;
    second.insert(second.end(), {"--out", (place.path() / "out").string()});
    for (const bool fast : {false, true}) {
      if (fast) second.emplace_back("--fast");
      const Ended refused = elsewhere.run(kToy, second, {"TOY_FOLDER=" + (place.path() / "committed").string()});
      CHECK(refused.exit_code == 2);
      CHECK(refused.err.find("error: another run is writing to " + (place.path() / "out/toy-steps").string() +
                             ": wait for it, or choose another --out\n") != std::string::npos);
    }
    ::kill(pid, SIGINT);
    const Ended interrupted = place.finish(pid);
    CHECK(interrupted.exit_code == 130);
    CHECK(interrupted.err.find("2/4  ") != std::string::npos);  // the second row that came
    CHECK(interrupted.err.ends_with(
        "\nwarning: interrupted with 2 of 4 points done, which are kept: the same command goes on from there\n"));
    CHECK_FALSE(fs::exists(results));

    std::vector<std::string> planned = command;
    planned.emplace_back("--dry-run");
    const std::string plan = place.run(kToy, planned).out;
    CHECK(plan.find("2          25.0 %  known\n3          25.0 %  to run\n") != std::string::npos);
    CHECK(lines_in(partial) == 3);

    kernbench::write_file(place.path() / "gate", "");
    const Ended resumed = place.run(kToy, command);
    CHECK(resumed.exit_code == 0);
    CHECK(resumed.err.starts_with(
        "resuming: 2 of 4 points are known from an interrupted run (--fresh runs them again)\n3/4  "));
    CHECK(lines_in(place.path() / "log") == 4);  // each point was simulated once
    CHECK(kernbench::read_file(results) == undisturbed);
    CHECK_FALSE(fs::exists(partial));
  }
}
