// What `kernbench sim gemm` says limits a run, and that its cure is one.
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "benches/harness/results/results_json.hpp"
#include "tests/cli/program.hpp"

namespace {

using Arguments = std::vector<std::string>;

struct Told {
  std::string text;
  kernbench::Json metrics;
};

Told run_gemm(const Arguments& more) {
  const Workplace place;
  Arguments arguments{"sim", "gemm", "--m",       "256",     "--k",    "512",
                      "--n", "256",  "--variant", "ref_ref", "--json", "result.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return {std::regex_replace(ended.out, std::regex("\\s+"), " "),
          kernbench::Json::parse(std::ifstream(place.path() / "result.json")).at("rows").at(0).at("metrics")};
}

}  // namespace

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.6 33.7 with too few DMA credits it says how many would do, and so many do") {
    const Told ill = run_gemm({"--set", "pe.dma.outstanding_bursts=16"});
    CHECK(ill.metrics.at("limited_by") == "credits");
    // 2 x (wires and hop) + read latency + burst + 256 B at 256 GB/s, times 256 GB/s, in bursts of 256 B.
    CHECK_MESSAGE(has(ill.text,
                      "16 x 256 B cover 16 ns of the 45.06 ns round trip at 256 GB/s; "
                      "pe.dma.outstanding_bursts: 46 would do"),
                  ill.text);
    const Told cured = run_gemm({"--set", "pe.dma.outstanding_bursts=46"});
    CHECK(cured.metrics.at("limited_by") == "hbm");
    CHECK(cured.metrics.at("time_ns").get<double>() < 0.4 * ill.metrics.at("time_ns").get<double>());
  }

  TEST_CASE("33.1 33.6 the summary names what the time spent, and the comparison of variants what limits each") {
    const Told told = run_gemm({});
    CHECK(has(told.text, "limited by HBM bandwidth, 99."));
    CHECK(has(told.text, "time spent HBM bandwidth"));
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "gemm", "--m", "256", "--k", "512", "--n", "256"});
    CHECK(has(ended.out, "limited by"));
    CHECK(has(ended.out, "HBM bandwidth 99."));
  }
}
