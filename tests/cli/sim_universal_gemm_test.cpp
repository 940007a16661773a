// `kernbench sim universal-gemm`: GEMMs over several GPUs.
#include <doctest/doctest.h>

#include <set>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using namespace kernbench;

namespace {

const std::string kFourGpus = kernbench::source_dir() + "/topology/h200_x4.yaml";
const std::string kMeasuredGpus = kernbench::source_dir() + "/benches/reference/nvidia-h200/distributed_gemm.json";

std::vector<std::string> gpus_command(std::vector<std::string> more, const std::string& machine = kFourGpus) {
  std::vector<std::string> all{"sim", "universal-gemm", "--topology", machine};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::vector<std::string> kGpusShape{"--m", "4096", "--k", "4096", "--n", "4096"};

std::vector<std::string> universal_shape(std::vector<std::string> more) {
  more.insert(more.begin(), kGpusShape.begin(), kGpusShape.end());
  return gpus_command(more);
}

}  // namespace

TEST_SUITE("ADR-0057") {
  TEST_CASE("57.8 every method, fastest first") {
    const Workplace place;
    const Ended ended = place.run(kProgram, universal_shape({}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "gemm 4096x4096x4096 bf16 over 4 GPUs of h200_x4"));
    CHECK(widest_line(ended.out) <= 80);
    const Json rows = rows_of(universal_shape({"--json", "result.json"}));
    CHECK(rows.size() == 24);
    std::set<std::string> methods;
    double before = 0;
    for (const Json& row : rows) {
      methods.insert(row.at("point").at("method").get<std::string>());
      const double time = row.at("metrics").at("time_ns").get<double>();
      CHECK(before <= time);
      before = time;
    }
    CHECK(methods == std::set<std::string>{"dtensor", "stationary_a", "stationary_b", "stationary_c"});
  }

  TEST_CASE("57.9 a row of dtensor has what its phases bring, its commands, and no events") {
    // An all_gather of B, put together, multiplied.
    const Json phases = rows_of(universal_shape(
        {"--methods", "dtensor", "--partitions", "row,column,row", "--replications", "1", "--json", "result.json"}));
    REQUIRE(phases.size() == 1);
    CHECK(phases[0].at("metrics").at("received_bytes") == 4096 * 4096 * 2 * 3 / 4);
    CHECK(phases[0].at("metrics").at("commands") == 3 * 4);
    CHECK_FALSE(phases[0].at("metrics").contains("events"));
  }

  TEST_CASE("57.8 beside measured rows: the errors, and who is the fastest") {
    const Json rows = rows_of(gpus_command({"--measured", kMeasuredGpus, "--json", "result.json"}));
    CHECK(rows.size() == 480);
    double error = 0;
    for (const Json& row : rows) error += std::abs(row.at("metrics").at("error").get<double>()) / 480;
    CHECK(error < 0.06);
    const Workplace place;
    const Ended ended = place.run(kProgram, gpus_command({"--measured", kMeasuredGpus}));
    CHECK_MESSAGE(has(ended.out, "of 20 cases"), ended.out);
    // Without the order of fetches errors are larger.
    const Json without =
        rows_of(gpus_command({"--measured", kMeasuredGpus, "--without", "fetch-order", "--json", "result.json"}));
    double larger = 0;
    for (const Json& row : without) larger += std::abs(row.at("metrics").at("error").get<double>()) / 480;
    CHECK(larger > error + 0.01);
  }

  TEST_CASE("57.8 wrong input is refused") {
    CHECK(has(refusal(gpus_command({"--m", "64"})), "--m, --k, --n: expected all three"));
    CHECK(has(refusal(universal_shape({"--without", "nothing"})), "--without 'nothing': expected of fetch-order"));
    CHECK(has(refusal(universal_shape({"--gpus", "1"})), "expected at least 2 GPUs, got --gpus 1"));
    CHECK(has(refusal(universal_shape({"--gpus", "8"})), "expected at most nvlink.gpus, 4 on h200_x4"));
    CHECK(has(refusal(universal_shape({"--replications", "3"})), "replication"));
    CHECK(
        has(refusal(gpus_command({"--measured", kernbench::source_dir() + "/benches/reference/nvidia-h200/gemm.json"})),
            "expected rows of gpu-distributed-gemm"));
    CHECK(has(refusal(gpus_command(kGpusShape, kernbench::source_dir() + "/topology/switched_4.yaml")),
              "expected a machine file of `kind: gpu`"));
  }
}
