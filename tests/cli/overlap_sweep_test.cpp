// `kernbench run overlap-sweep`: traces beside the results, and what is injected.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

/// On packages of one die of 8 PEs, small layers.
std::vector<std::string> small_run(const std::vector<std::string>& more, const std::string& only = "channels=2") {
  std::vector<std::string> command{
      "run",   "overlap-sweep",          "--set",  "package.dies.rows=1",
      "--set", "package.dies.columns=1", "--only", only + ",threads=256,batch=64,hidden=64,layers=2,steps=2",
      "-q"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

Json json_at(const Workplace& place, const std::string& file) {
  std::ifstream in(place.path() / "out/overlap-sweep" / file);
  REQUIRE_MESSAGE(in.good(), file);
  return Json::parse(in);
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.16 a run leaves a folder of traces for each point, and takes those of the run before away") {
    const Workplace place;
    const Ended ended = place.run(kProgram, small_run({"--no-figures"}, "channels=2,channels=3"));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    for (const char* folder : {"traces/2ch_256threads/", "traces/3ch_256threads/"}) {
      const Json config = json_at(place, std::string(folder) + "config.json");
      REQUIRE(config.at("ranks").size() == 4);
      for (const Json& rank : config.at("ranks")) {
        CHECK(std::filesystem::exists(place.path() / "out/overlap-sweep" / folder / rank.get<std::string>()));
      }
      CHECK(json_at(place, std::string(folder) + "truth.json").at("gemms").size() == 2 * 4 * 5);
    }
    const Ended again = place.run(kProgram, small_run({"--no-figures", "--replace"}, "channels=4"));
    REQUIRE_MESSAGE(again.exit_code == 0, again.err);
    CHECK(std::filesystem::exists(place.path() / "out/overlap-sweep/traces/4ch_256threads/truth.json"));
    CHECK(!std::filesystem::exists(place.path() / "out/overlap-sweep/traces/2ch_256threads"));
  }

  TEST_CASE("41.10 what is injected is in the row's point and in the truth") {
    const Workplace place;
    const Ended ended = place.run(kProgram, small_run({"--inject", "rank=2,steps=1,clock=0.5", "--inject",
                                                       "rank=0,gemm=layer1.dgrad,extra=7 us", "--no-figures"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json row = json_at(place, "results.json").at("rows").at(0);
    const Json first = row.at("timeline").at("steps").at(0).at(0);
    CHECK(first.at("gemms").at(0).at(0) == 1'500'000);  // a launch and its latency
    const std::int64_t first_end = first.at("gemms").at(0).at(1);
    CHECK(first.at("gemms").at(1).at(0) == std::max<std::int64_t>(first_end + 200'000, 2'000'000));
    CHECK(row.at("point").at("inject") == "rank=2,steps=1,clock=0.5; rank=0,gemm=layer1.dgrad,extra=7 us");
    const Json truth = json_at(place, "traces/2ch_256threads/truth.json");
    CHECK(truth.at("injections").size() == 2);
    for (const Json& gemm : truth.at("gemms")) {
      const bool longer = gemm.at("rank") == 0 && gemm.at("gemm") == "layer1.dgrad";
      CHECK(gemm.at("extra_ps") == (longer ? 7'000'000 : 0));
      CHECK((gemm.at("clock_ps").get<std::int64_t>() > 0) == (gemm.at("rank") == 2 && gemm.at("step") == 1));
    }
  }

  TEST_CASE("41.16 what cannot be is refused before anything is simulated or written") {
    using kernbench::refusal;
    CHECK(refusal(small_run({"--inject", "rank=4,clock=0.9"})).find("rank: expected 0 to 3, got 4") !=
          std::string::npos);
    CHECK(refusal(small_run({}, "channels=8")).find("channels: expected 1 to 7 of the 8 PEs") != std::string::npos);
    CHECK(refusal({"run", "milestone-1h-gemm", "--inject", "rank=0,clock=0.9"}).find("has no axis inject") !=
          std::string::npos);
    CHECK(refusal({"run", "overlap-sweep", "--only", "channel_pes=shred"}).find("did you mean 'shared'?") !=
          std::string::npos);
  }
}
