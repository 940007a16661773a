// `sim operator` and the bench `operators`: the same numbers by both, open axes, what cannot be done.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

Json rows_at(const Workplace& place) {
  return Json::parse(std::ifstream(place.path() / "out/operators/results.json")).at("rows");
}

}  // namespace

TEST_SUITE("ADR-0043") {
  TEST_CASE("43.14 a point of the bench is what sim operator simulates with the same words; every axis is open") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "operators", "--only", "operation=softmax,batch_size=2,dtype=fp32,over=die",
                             "--sweep", "sequence_length=5,13", "--sweep", "tensor_dimension=100", "--verify", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = rows_at(place);
    REQUIRE(rows.size() == 2);
    for (const Json& row : rows) {
      const Json alone = kernbench::rows_of({"sim", "operator", "--op", "softmax", "--batch", "2", "--sequence",
                                             row.at("point").at("sequence_length").dump(), "--dimension", "100",
                                             "--dtype", "fp32", "--over", "die", "--json", "result.json"})
                             .front();
      for (const char* name : {"time_ns", "time_ms", "memory_mb", "inference_speed", "efficiency", "throughput_gbps",
                               "plan_bound_ns", "limited_by"}) {
        CHECK(row.at("metrics").at(name) == alone.at("metrics").at(name));
      }
      CHECK(row.at("point").at("implementation") == "plan");
      CHECK(row.at("flags") == Json{"verified"});
    }
  }

  TEST_CASE("43.14 what does not fit is skipped, with the reason, and the others are there") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "operators", "--only", "operation=gelu,batch_size=1,sequence_length=128,over=die",
                             "--sweep", "tensor_dimension=64,8192", "--set", "die.hbm.capacity=256 KiB", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = rows_at(place);
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("status") == "ok");
    CHECK(rows.at(1).at("status") == "skipped");
    CHECK(rows.at(1).at("reason").get<std::string>().find("die.hbm.capacity") != std::string::npos);
  }

  TEST_CASE("43.1 wrong words are told, with what was expected") {
    const Workplace place;
    const auto refused = [&place](const std::vector<std::string>& command) {
      const Ended ended = place.run(kProgram, command);
      CHECK(ended.exit_code == 2);
      return ended.err;
    };
    CHECK(refused({"sim", "operator", "--op", "sofmax", "--dimension", "8"}).find("softmax") != std::string::npos);
    CHECK(refused({"sim", "operator", "--op", "rotary", "--dimension", "7"}).find("even") != std::string::npos);
    CHECK(refused({"sim", "operator", "--op", "gelu", "--dimension", "0"}).find("--dimension") != std::string::npos);
    CHECK(refused({"run", "operators", "--only", "dtype=int8"}).find("bf16, fp16 or fp32") != std::string::npos);
    CHECK(refused({"run", "operators", "--only", "over=moon"}).find("over 'moon'") != std::string::npos);
  }
}
