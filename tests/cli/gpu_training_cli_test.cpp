// `kernbench run gpu-predicted-training`: a configuration of one's own, its traces, and what is refused.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using namespace kernbench;

namespace {

std::vector<std::string> training(const std::string& machine, const std::string& only,
                                  const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{
      "run", "gpu-predicted-training", "--topology", kernbench::source_dir() + "/topology/" + machine, "--only",
      only,  "--no-figures",           "-q"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace

TEST_SUITE("ADR-0059") {
  TEST_CASE("59.7 a configuration of one's own is predicted, and the commands for traces read its traces") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, training("h200_x2.yaml", "channels=8,threads=512,layers=2,hidden=1024,batch=256,gpus=2"));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const auto folder = place.path() / "out/gpu-predicted-training";
    const Json row = Json::parse(std::ifstream(folder / "results.json")).at("rows").at(0);
    CHECK(row.at("status") == "ok");
    CHECK(!row.at("metrics").contains("error"));
    const std::string traces = (folder / "traces/8ch_512threads").string();
    for (const char* file : {"rank0.json.gz", "rank1.json.gz", "config.json", "truth.json"}) {
      CHECK(std::filesystem::exists(std::filesystem::path(traces) / file));
    }
    for (const char* table : {"timeline", "gemms", "top", "collectives", "causes"}) {
      const Ended told = place.run(kProgram, {"trace", table, traces});
      CHECK_MESSAGE(told.exit_code == 0, told.err);
      CHECK_MESSAGE(!has(told.err, "warning"), told.err);
    }
  }

  TEST_CASE("59.8 what the machine cannot do is refused before anything is simulated") {
    const std::string usual = "channels=8,threads=512,layers=2,hidden=1024,batch=256,gpus=2";
    CHECK(has(refusal(training("h200.yaml", usual)), "expected a machine of several; h200 is one"));
    CHECK(has(refusal(training("h200_x2.yaml", "gpus=4")), "expected 2 to nvlink.gpus, 2"));
    CHECK(has(refusal(training("h200_x2.yaml", "channels=133,threads=512,layers=2,hidden=1024,batch=256,gpus=2")),
              "133 channels: expected 1 to sm.count, 132"));
    CHECK(has(refusal(training("h200_x2.yaml", "channels=8,threads=512,layers=2,hidden=200000,batch=256,gpus=2")),
              "expected at most hbm.capacity"));
    CHECK(has(refusal(training("h200_x2.yaml", "layers=0")), "expected a whole number from 1 to 1000, got '0'"));
    CHECK(has(refusal({"run", "gpu-predicted-training", "--topology",
                       kernbench::source_dir() + "/topology/milestone_1h.yaml"}),
              "gpu-predicted-training"));
  }

  TEST_CASE("59.8 of a sweep what a machine cannot do is skipped, with the measured values too") {
    const Workplace place;
    const auto statuses = [&](const std::string& only, const std::string& out) {
      const Ended ended =
          place.run(kProgram, training("h200_x4.yaml", only, {"--sweep", "nvlink.gpus=2,4", "--out", out}));
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      const auto file = place.path() / out / "gpu-predicted-training-sweep/results.json";
      const Json results = Json::parse(std::ifstream(file));
      std::vector<std::string> all;
      for (const Json& row : results.at("rows")) {
        if (!row.at("point").contains("derived")) all.push_back(row.at("status"));
      }
      return all;
    };
    CHECK(statuses("channels=8,threads=512,layers=2,hidden=1024,batch=256,gpus=4", "own") ==
          std::vector<std::string>{"skipped", "ok"});
    CHECK(statuses("channels=28,threads=512,layers=6,hidden=8192,batch=2048,gpus=4", "measured") ==
          std::vector<std::string>{"skipped", "ok"});
  }

  TEST_CASE("59.9 40.4 traces of points that differ in more than channels and threads are read together") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram,
        training("h200_x4.yaml", "channels=8,threads=512,layers=2,hidden=1024,batch=256", {"--sweep", "gpus=2,4"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Ended told =
        place.run(kProgram, {"trace", "timeline", (place.path() / "out/gpu-predicted-training/traces").string()});
    CHECK_MESSAGE(told.exit_code == 0, told.err);
    CHECK(has(told.out, "gpus2"));
    CHECK(has(told.out, "gpus4"));
  }
}
