// What the analysis of traces says of simulated steps whose disturbances are known (ADR-0040, ADR-0041).
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

/// Rows of a table of the traces that a run with these disturbances leaves, on packages of one die of 8 PEs.
Json traced_table(const Workplace& place, const std::vector<std::string>& table,
                  const std::vector<std::string>& injections) {
  std::vector<std::string> run{"run",      "overlap-sweep",
                               "--set",    "package.dies.rows=1",
                               "--set",    "package.dies.columns=1",
                               "--set",    "pe.message_queue.slot_bytes=2 KiB",
                               "--only",   "channels=2,threads=256,batch=384,hidden=512,layers=6,steps=4",
                               "-q",       "--no-figures",
                               "--replace"};
  for (const std::string& injection : injections) run.insert(run.end(), {"--inject", injection});
  const Ended ran = place.run(kProgram, run);
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  std::vector<std::string> trace{"trace"};
  trace.insert(trace.end(), table.begin(), table.end());
  trace.insert(trace.end(), {"out/overlap-sweep/traces", "--json", "table.json"});
  const Ended traced = place.run(kProgram, trace);
  REQUIRE_MESSAGE(traced.exit_code == 0, traced.err);
  return Json::parse(std::ifstream(place.path() / "table.json")).at("rows");
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.23 a rank whose host begins steps later is the straggler, and no other; without that nobody is") {
    const Workplace place;
    for (const Json& row : traced_table(place, {"collectives", "--table", "stragglers"}, {})) {
      CAPTURE(row.dump());
      CHECK(row.at("straggler") != "straggler");
    }
    for (const int late : {0, 1, 3}) {
      const std::string injection = "rank=" + std::to_string(late) + ",delay=300us";
      const Json rows = traced_table(place, {"collectives", "--table", "stragglers"}, {injection});
      REQUIRE(rows.size() == 4);
      for (const Json& row : rows) {
        CAPTURE(row.dump());
        CHECK((row.at("straggler") == "straggler") == (row.at("rank") == late));
      }
    }
  }

  TEST_CASE("40.27 a clock that is injected is what causes say, within 1 %") {
    const Workplace place;
    const Json rows = traced_table(place, {"causes", "--all-calls", "--top", "10"}, {"rank=2,steps=1..2,clock=0.8"});
    int slowed = 0;
    for (const Json& row : rows) {
      if (!row.at("clock_us").is_number() || !row.at("base_us").is_number()) continue;
      if (row.at("clock_samples").get<int>() < 5) continue;
      const bool injected = row.at("rank") == 2 && (row.at("step") == 1 || row.at("step") == 2);
      const double factor = 1 + row.at("clock_us").get<double>() / row.at("base_us").get<double>();
      CAPTURE(row.dump());
      CHECK(std::abs(factor - (injected ? 1.25 : 1)) < 0.0125);
      slowed += injected ? 1 : 0;
    }
    CHECK(slowed >= 10);
  }

  TEST_CASE("40.24 40.28 GEMMs beside collectives have a baseline, and what is injected into one is left unexplained") {
    const Workplace place;
    const Json rows =
        traced_table(place, {"causes", "--all-calls", "--top", "10"}, {"rank=0,steps=2,gemm=layer1.wgrad,extra=50us"});
    int beside = 0;
    int injected = 0;
    for (const Json& row : rows) {
      CAPTURE(row.dump());
      CHECK(row.at("baseline") != "no baseline");
      beside += row.at("share_pct").is_number() && row.at("share_pct").get<double>() > 99 ? 1 : 0;
      const double unexplained = row.at("unexplained_us").get<double>();
      const bool is_it = std::abs(unexplained - 50) < 1;
      if (!is_it) CHECK(std::abs(unexplained) < 5);
      injected += is_it ? 1 : 0;
    }
    CHECK(beside > 0);
    CHECK(injected == 1);
  }
}
