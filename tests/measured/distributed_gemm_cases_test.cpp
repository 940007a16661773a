// The cases of a distributed GEMM that a suites.json asks for.
#include "benches/measured/cases/distributed_gemm_cases.hpp"

#include <doctest/doctest.h>

#include "sim/base/errors.hpp"

using namespace kernbench;

namespace {

const Json kSuites = Json::parse(R"({"distributed_gemm": {
  "smoke": [{"group": "square", "m": 64, "k": 64, "n": 64, "dtype": "bf16"}],
  "suite": [{"group": "square", "m": 128, "k": 128, "n": 128, "dtype": "bf16"},
            {"group": "odd_k_large", "m": 8, "k": 512, "n": 16, "dtype": "bf16"}],
  "methods": ["dtensor", "stationary_a", "stationary_c", "auto"],
  "triples": ["row,column,row", "block,block,block"],
  "replications": [1, 2]}})");

std::vector<PlannedCase> cases(const DistributedGemmChoice& choice, const Json& suites = kSuites) {
  return distributed_gemm_cases(Suites(suites.dump(), "suites.json"), choice);
}

/// The message about the file after `path` (a JSON pointer) is set to `value`.
std::string error_with(const std::string& path, const Json& value) {
  Json suites = kSuites;
  suites[Json::json_pointer(path)] = value;
  try {
    (void)cases({}, suites);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string error_of(const DistributedGemmChoice& choice) {
  try {
    (void)cases(choice);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.9 replications, partitions, shapes, methods: nested in that order, each case once") {
    const std::vector<PlannedCase> all = cases({4, false});
    // The square's `auto` is stationary_c, which is there; the other's is stationary_b.
    REQUIRE(all.size() == 2 * 2 * (2 + 3));
    CHECK(all[0].point.dump() == R"({"group":"square","m":128,"k":128,"n":128,"dtype":"bf16","method":"stationary_a",)"
                                 R"("partitions":"row,column,row","replication":1,"gpus":4})");
    CHECK(all[1].point.at("method") == "stationary_c");
    CHECK(all[4].point.at("method") == "stationary_b");
    CHECK(all[4].suite == "odd_k_large");
    CHECK(all[5].point.at("partitions") == "block,block,block");
    CHECK(all[10].point.at("replication") == 2);
    for (const PlannedCase& planned : all) CHECK(planned.estimate_s > 0);
  }

  TEST_CASE("23.9 a point is read back as the problem it came from") {
    const DistributedGemm problem = distributed_gemm_of(cases({4, false}).back().point);
    CHECK(problem.m == 8);
    CHECK(problem.k == 512);
    CHECK(problem.n == 16);
    CHECK(problem.partitions == std::array{Partition::kBlock, Partition::kBlock, Partition::kBlock});
    CHECK(problem.replication == std::array{2, 2, 2});
    CHECK(problem.method == DistributedMethod::kB);
    CHECK(problem.devices == 4);
  }

  TEST_CASE("23.9 what the user names takes the place of the file's lists; a wrong name is an error of the option") {
    const std::vector<PlannedCase> chosen = cases({2, true, {"stationary_b"}, {"row,row,column"}, {2}});
    REQUIRE(chosen.size() == 1);
    CHECK(chosen[0].point.dump() == R"({"group":"square","m":64,"k":64,"n":64,"dtype":"bf16","method":"stationary_b",)"
                                    R"("partitions":"row,row,column","replication":2,"gpus":2})");
    CHECK(error_of({2, true, {"dtensor"}, {}, {}}).find("--methods: unknown method 'dtensor'") == 0);
    CHECK(error_of({2, true, {}, {"row,row"}, {}}).find("--partitions: 'row,row': expected") == 0);
  }

  TEST_CASE("23.9 malformed lists are refused with file and path") {
    const std::string list = "/distributed_gemm";
    CHECK(error_with(list, Json::object()) == "suites.json: distributed_gemm.suite: is missing");
    CHECK(error_with(list + "/suite/1/k", 0) ==
          "suites.json: distributed_gemm.suite[1].k: expected a whole number from 1 to 1000000, got 0");
    CHECK(error_with(list + "/suite/0/dtype", "fp8_e4m3") ==
          "suites.json: distributed_gemm.suite[0].dtype: expected \"bf16\", got \"fp8_e4m3\"");
    CHECK(
        error_with(list + "/methods/1", "stationary_d") ==
        "suites.json: distributed_gemm.methods[1]: expected dtensor, stationary_a, stationary_b, stationary_c or auto, "
        "got \"stationary_d\"");
    CHECK(error_with(list + "/triples/0", "row,column") ==
          "suites.json: distributed_gemm.triples[0]: expected partitions of A, B and C, as in \"row,column,row\", got "
          "\"row,column\"");
    CHECK(error_with(list + "/replications/1", 0) ==
          "suites.json: distributed_gemm.replications[1]: expected a whole number from 1 to 1024, got 0");
  }
}
