// `--dtype` of `kernbench sim gemm` and `kernbench map gemm` from outside.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::refusal;
using kernbench::rows_of;
using Arguments = std::vector<std::string>;

Arguments gemm(const std::string& command, const Arguments& more) {
  Arguments arguments{command, "gemm", "--m", "100", "--k", "200", "--n", "70", "--json", "result.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.4 every dtype with a rate is simulated, verified and bounded, in variants and mappings") {
    for (const std::string name : {"fp16", "fp8_e4m3", "fp8_e5m2", "int8", "tf32", "fp32"}) {
      CAPTURE(name);
      const Arguments rate{"--dtype", name, "--verify", "--set", "pe.mac.rates." + name + "=1.5"};
      Arguments ways = rate;
      ways.insert(ways.end(), {"--variant", "ref_ref,load_ref,load_load,auto,buffers=2 block=64x128x64"});
      const kernbench::Json rows = rows_of(gemm("sim", ways));
      REQUIRE(rows.size() == 5);
      for (const auto& row : rows) {
        CHECK(row.at("status") == "ok");
        CHECK(row.at("point").at("dtype") == name);
        CHECK(row.at("flags").dump().find("verified") != std::string::npos);
        CHECK(row.at("metrics").at("bound_ns").get<double>() <= row.at("metrics").at("time_ns").get<double>());
      }
    }
  }

  TEST_CASE("34.4 useful efficiency is of the dtype's own peak") {
    const auto row =
        rows_of(gemm("sim", {"--dtype", "fp8", "--variant", "ref_ref", "--set", "pe.mac.rates.fp8_e4m3=2"}));
    const auto& metrics = row.at(0).at("metrics");
    const double peak = 2 * 4096;  // MACs in a nanosecond
    CHECK(row.at(0).at("point").at("dtype") == "fp8_e4m3");
    CHECK(metrics.at("useful_eff").get<double>() ==
          doctest::Approx(100.0 * 200 * 70 / (peak * metrics.at("time_ns").get<double>())).epsilon(1e-12));
  }

  TEST_CASE("34.4 34.7 a dtype without a rate, an unknown one, and one over several PEs are refused") {
    CHECK(
        has(refusal(gemm("sim", {"--dtype", "int8", "--set", "pe.mac.rates.int8=0"})), "or --set pe.mac.rates.int8=1"));
    CHECK(
        has(refusal(gemm("map", {"--dtype", "int8", "--set", "pe.mac.rates.int8=0"})), "or --set pe.mac.rates.int8=1"));
    CHECK(has(refusal(gemm("sim", {"--dtype", "int9"})), "--dtype: unknown dtype 'int9'"));
    CHECK(has(refusal(gemm("sim", {"--dtype", "int8", "--over", "die"})), "dtype int8: expected bf16"));
    CHECK(has(refusal(gemm("sim", {"--dtype", "int8", "--set", "pe.mac.rates.int8=-1"})),
              "expected a number such as 0.5"));
  }

  TEST_CASE("34.8 weights of a byte beside bf16 are simulated, verified and bounded, in variants and mappings") {
    const kernbench::Json rows = rows_of(gemm(
        "sim", {"--dtype-b", "fp8", "--verify", "--variant", "ref_ref,load_ref,load_load,buffers=2 block=64x128x64"}));
    REQUIRE(rows.size() == 4);
    for (const auto& row : rows) {
      CHECK(row.at("point").at("dtype") == "bf16");
      CHECK(row.at("point").at("dtype_b") == "fp8_e4m3");
      CHECK(row.at("flags").dump().find("verified") != std::string::npos);
      CHECK(row.at("metrics").at("bound_ns").get<double>() <= row.at("metrics").at("time_ns").get<double>());
      CHECK(row.at("stages").dump().find("\"convert\"") != std::string::npos);
    }
    // The dtype of A is no second one.
    const auto same = rows_of(gemm("sim", {"--dtype-b", "bf16", "--variant", "ref_ref"}));
    CHECK(same.at(0).at("stages").dump().find("\"convert\"") == std::string::npos);
    CHECK(has(refusal(gemm("sim", {"--dtype-b", "fp32"})), "dtype_b fp32: A is bf16 and B fp32: expected one dtype"));
    CHECK(has(refusal(gemm("map", {"--dtype-b", "int9"})), "--dtype-b: unknown dtype 'int9'"));
    CHECK(has(refusal(gemm("sim", {"--dtype-b", "int8", "--over", "die"})), "dtype_b int8: expected one PE"));
  }
}
