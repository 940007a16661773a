// `--dtype` of `kernbench sim gemm` and `kernbench map gemm` from outside.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
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
    for (const std::string name :
         {"fp16", "fp8_e4m3", "fp8_e5m2", "int8", "tf32", "fp32", "bfp8", "bfp4", "mxfp8", "mxfp4"}) {
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

  TEST_CASE("34.4 a dtype without a rate, on one PE or several, and an unknown one are refused") {
    CHECK(
        has(refusal(gemm("sim", {"--dtype", "int8", "--set", "pe.mac.rates.int8=0"})), "or --set pe.mac.rates.int8=1"));
    CHECK(
        has(refusal(gemm("map", {"--dtype", "int8", "--set", "pe.mac.rates.int8=0"})), "or --set pe.mac.rates.int8=1"));
    CHECK(has(refusal(gemm("sim", {"--dtype", "int9"})), "--dtype: unknown dtype 'int9'"));
    CHECK(has(refusal(gemm("sim", {"--dtype", "int8", "--over", "die", "--set", "pe.mac.rates.int8=0"})),
              "or --set pe.mac.rates.int8=1"));
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
  }

  TEST_CASE("34.7 every dtype, and a B of fewer bytes, over a die: verified and bounded, by kernels and mappings") {
    const std::vector<std::pair<std::string, std::string>> all{{"fp16", "as_a"}, {"fp8", "as_a"},  {"int8", "as_a"},
                                                               {"fp32", "as_a"}, {"bf16", "int8"}, {"tf32", "fp8"}};
    for (const auto& dtypes : all) {
      const std::string a = dtypes.first;
      const std::string b = dtypes.second;
      CAPTURE(a);
      const kernbench::Json rows =
          rows_of(gemm("sim", {"--over", "die", "--dtype", a, "--dtype-b", b, "--verify", "--variant",
                               "owner_computes,ring_shift,split_k,auto,split_k=2"}));
      REQUIRE(rows.size() == 5);
      for (const auto& row : rows) {
        const auto& metrics = row.at("metrics");
        CHECK(row.at("status") == "ok");
        CHECK(row.at("flags").dump().find("verified") != std::string::npos);
        CHECK(metrics.at("bound_ns").get<double>() <= metrics.at("time_ns").get<double>());
        CHECK(metrics.contains("ledger_convert_ns") == (b != "as_a"));
      }
    }
  }

  TEST_CASE("34.11 groups over a die: verified and bounded, by kernels and mappings, as weights, too") {
    for (const auto& dtypes :
         {std::pair<std::string, std::string>{"bfp8", "as_a"}, {"bfp8", "bfp4"}, {"mxfp4", "as_a"}}) {
      CAPTURE(dtypes.second);
      const kernbench::Json rows = rows_of(
          gemm("sim", {"--over", "die", "--dtype", dtypes.first, "--dtype-b", dtypes.second, "--verify", "--variant",
                       "owner_computes,split_k,grid_multicast,auto", "--set", "pe.mac.rates." + dtypes.first + "=2"}));
      REQUIRE(rows.size() == 4);
      for (const auto& row : rows) {
        CHECK(row.at("flags").dump().find("verified") != std::string::npos);
        CHECK(row.at("metrics").at("bound_ns").get<double>() <= row.at("metrics").at("time_ns").get<double>());
      }
    }
  }

  TEST_CASE("34.13 a GPU has no dtype with groups, and says which it has") {
    CHECK(has(refusal(gemm("sim", {"--topology", kernbench::source_dir() + "/topology/h200.yaml", "--dtype", "mxfp8"})),
              "--dtype mxfp8: its elements share exponents, and GPU h200 has no such dtype; expected one of bf16, "
              "fp16, fp8_e4m3, fp8_e5m2, tf32, fp32"));
  }

  TEST_CASE("34.7 over a die useful efficiency is of the dtype's own peak, energy of its own MACs") {
    const auto row = rows_of(gemm("sim", {"--over", "die", "--dtype", "int8", "--variant", "ring_shift", "--set",
                                          "energy.mac.int8=1 pJ", "--set", "energy.mac.bf16=7 pJ"}));
    const auto& metrics = row.at(0).at("metrics");
    const double peak = 8.0 * 2 * 4096;  // MACs in a nanosecond
    CHECK(metrics.at("useful_eff").get<double>() ==
          doctest::Approx(100.0 * 200 * 70 / (peak * metrics.at("time_ns").get<double>())).epsilon(1e-12));
    CHECK(metrics.at("energy_mac_pj").get<double>() == doctest::Approx(100.0 * 200 * 70).epsilon(1e-12));
  }

  TEST_CASE("34.7 a GEMM of int8 beside a collective of bf16 is verified") {
    const auto rows = rows_of({"sim", "concurrent", "--m", "256", "--k", "128", "--n", "128", "--dtype", "int8",
                               "--sizes", "4KiB", "--scale", "die", "--verify", "--json", "result.json"});
    CHECK(rows.at(0).at("flags").dump().find("verified") != std::string::npos);
  }
}
