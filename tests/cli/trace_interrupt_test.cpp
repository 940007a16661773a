// Trace commands that are ended in the middle of their work.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path kRank =
    kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap/28ch_256threads/rank0.json.gz";

/// Below the folder, by their paths from it.
std::set<std::string> entries(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder));
  return names;
}

}  // namespace

TEST_SUITE("ADR-0042") {
  TEST_CASE("42.8 a merge, a report and a grown trace that are interrupted leave nothing") {
    const Workplace place;
    const Ended grown = place.run(kProgram, {"dev", "trace-grow", kRank.string(), "rank0.json", "--size", "60MB"});
    REQUIRE_MESSAGE(grown.exit_code == 0, grown.err);
    const std::set<std::string> before = entries(place.path());
    const std::vector<std::vector<std::string>> commands{
        {"trace", "merge", "rank0.json", "--out", "all.pftrace.gz"},
        {"trace", "report", "rank0.json", "--out", "report"},
        {"dev", "trace-grow", "rank0.json", "more.json.gz", "--copies", "20"}};
    for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
      for (const std::vector<std::string>& command : commands) {
        CAPTURE(command[1]);
        const pid_t pid = place.start(kProgram, command);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        REQUIRE(::kill(pid, signal) == 0);
        CHECK(place.finish(pid).exit_code == 128 + signal);
        CHECK(entries(place.path()) == before);
      }
    }
  }
}
