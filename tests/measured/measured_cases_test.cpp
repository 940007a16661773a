// The lists of cases that GPUs are measured on, from the committed file and from small ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "benches/measured/cases/beside_cases.hpp"
#include "benches/measured/cases/collective_cases.hpp"
#include "benches/measured/cases/copy_cases.hpp"
#include "benches/measured/cases/gemm_cases.hpp"
#include "benches/measured/cases/launch_cases.hpp"
#include "benches/measured/cases/operator_cases.hpp"
#include "benches/measured/cases/suites.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

using namespace kernbench;

namespace {

Suites committed() { return Suites(std::string(kernbench::source_dir() + "/scripts/gpu/suites.json")); }

std::string message(const std::string& gemm) {
  try {
    static_cast<void>(gemm_cases(Suites("{\"gemm\":" + gemm + "}", "s.json"), "b", false));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::set<std::string> points_of(const std::vector<PlannedCase>& cases) {
  std::set<std::string> points;
  for (const PlannedCase& planned : cases) points.insert(planned.point.dump());
  return points;
}

}  // namespace

TEST_CASE("each shape is measured once, in the most important suite that has it, with every dtype, warm and flushed") {
  const Suites suites(R"({"gemm":{"dtypes":["fp32","bf16"],"power_suites":["squares"],"suites":{
      "grid64":[[8,8,8]],"squares":[[8,8,8],[16,16,16]],"other":[[1,2,3]],"milestone":[[4,5,6],[16,16,16]]}}})",
                      "s.json");
  std::string list;
  for (const PlannedCase& planned : gemm_cases(suites, "cublaslt", false)) {
    if (planned.point.at("dtype") != "bf16") continue;
    list += planned.suite + " " + planned.point.at("m").dump() + " " + planned.point.at("l2").get<std::string>() +
            (planned.power_window ? " power\n" : "\n");
  }
  CHECK(list ==
        "milestone 4 warm\nmilestone 4 flushed\nmilestone 16 warm power\nmilestone 16 flushed\n"
        "squares 8 warm power\nsquares 8 flushed\nother 1 warm\nother 1 flushed\n");
}

TEST_CASE("a point has its fields in the order of the rows") {
  const auto cases = gemm_cases(committed(), "cublaslt", true);
  CHECK(cases.front().point.dump() == R"({"m":32,"k":64,"n":32,"dtype":"fp32","backend":"cublaslt","l2":"warm"})");
  CHECK(
      operator_cases(committed(), "cuda", true).front().point.dump() ==
      R"({"operation":"layernorm","implementation":"cuda","batch_size":2,"sequence_length":64,"tensor_dimension":768,"dtype":"fp32","l2":"warm"})");
}

TEST_CASE("no point of the committed lists is there twice, and the large cases are known to take long") {
  const auto gemms = gemm_cases(committed(), "cublaslt", false);
  CHECK(points_of(gemms).size() == gemms.size());
  CHECK(gemms.size() > 1000);
  for (const PlannedCase& planned : gemms) {
    if (planned.point.at("m") == 16384 && planned.point.at("k") == 16384) CHECK(planned.estimate_s > 0.2);
    if (planned.point.at("m") == 32 && planned.point.at("l2") == "flushed") CHECK(planned.estimate_s < 0.2);
  }
  const auto operators = operator_cases(committed(), "cuda", false);
  CHECK(points_of(operators).size() == operators.size());
}

TEST_CASE("a malformed list is named with file, path and what was expected") {
  CHECK(message(R"({"dtypes":["fp32"],"power_suites":[],"suites":{"a":[[1,2]]}})") ==
        "s.json: gemm.suites.a[0]: expected 3 whole numbers, got [1,2]");
  CHECK(message(R"({"dtypes":["fp32"],"power_suites":[],"suites":{"a":[[1,2,0]]}})") ==
        "s.json: gemm.suites.a[0][2]: expected a whole number above 0, got 0");
  CHECK(message(R"({"dtypes":["fp32"],"power_suites":["b"],"suites":{"a":[[1,2,3]]}})") ==
        "s.json: gemm.suites.b: is missing");
  CHECK_THROWS_AS(Suites("{", "s.json"), ConfigError);
  CHECK_THROWS_AS(Suites(std::string("/nowhere.json")), ConfigError);
}

TEST_CASE("copies with one GPU stay inside it or go to the host; with several they go between GPUs") {
  const Suites suites(R"({"copy":{"sizes":[1024]}})", "s.json");
  const auto list = [&](int gpus) {
    std::string text;
    for (const PlannedCase& planned : copy_cases(suites, gpus, false)) {
      text += planned.point.at("copy").get<std::string>() + planned.point.at("gpus").dump() + " ";
    }
    return text;
  };
  CHECK(list(1) == "device_to_device1 host_to_device1 device_to_host1 ");
  CHECK(list(2) == "peer2 peer_bidirectional2 ");
  CHECK(list(4) == "peer4 ");
}

TEST_CASE("bus bandwidth is algorithm bandwidth by nccl-tests' factors") {
  CHECK(busbw_factor(Collective::kAllReduce, 4) == 1.5);
  CHECK(busbw_factor(Collective::kAllGather, 4) == 0.75);
  CHECK(busbw_factor(Collective::kReduceScatter, 2) == 0.5);
  CHECK(busbw_factor(Collective::kAllToAll, 4) == 0.75);
  CHECK(busbw_factor(Collective::kBroadcast, 4) == 1);
}

TEST_CASE("the collectives that are measured, all or those that are named") {
  for (const char* unmeasured : {"gossip", "reduce"}) {
    CHECK_THROWS_AS((void)measured_collective_cases(committed(), 4, "ring", {unmeasured}, false), ConfigError);
  }
  CHECK(measured_collective_cases(committed(), 4, "ring", {}, false).size() == 55);
  CHECK(measured_collective_cases(committed(), 4, "tree", {"all_reduce"}, false).size() == 11);
}

TEST_CASE("the least work of an operator: inputs once, outputs once") {
  CHECK(operator_work("gelu", 10, 100, 2).bytes == 4000);
  CHECK(operator_work("swish", 10, 100, 4).bytes == 8000);
  CHECK(operator_work("layernorm", 10, 100, 4).bytes == 8000 + 800);
  CHECK(operator_work("mse", 10, 100, 4).bytes == 8000 + 4);
  CHECK(operator_work("cross_entropy", 10, 100, 2).bytes == 2000 + 2 + 80);
  CHECK_THROWS_AS(static_cast<void>(operator_work("softmax", 1, 1, 4)), std::invalid_argument);
}

TEST_SUITE("ADR-0058") {
  TEST_CASE("58.1 every product beside every number of channels, those of one number after each other") {
    const auto cases = beside_cases(committed(), 2, false);
    CHECK(points_of(cases).size() == cases.size());
    CHECK(cases.size() == 70);
    CHECK(
        cases.front().point.dump() ==
        R"({"m":1024,"k":4096,"n":4096,"dtype":"bf16","collective":"all_reduce","bytes":67108864,"gpus":2,"channels":1})");
    CHECK(std::ranges::is_sorted(cases, {},
                                 [](const PlannedCase& planned) { return planned.point.at("channels").get<int>(); }));
    CHECK(beside_cases(committed(), 4, true).size() == 2);
  }
}

TEST_SUITE("ADR-0061") {
  TEST_CASE("61.1 every product to launch comes in every dtype") {
    const auto cases = launch_cases(committed(), false);
    CHECK(cases.size() == 56);
    CHECK(points_of(cases).size() == cases.size());
    CHECK(launch_cases(committed(), true).size() == 1);
  }
}
