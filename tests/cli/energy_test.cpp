// Energy and cost from outside.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

using kernbench::rows_of;

namespace {

using Arguments = std::vector<std::string>;

const std::string kCosted = kernbench::source_dir() + "/topology/milestone_1h_costed.yaml";

Arguments gemm(const Arguments& more) {
  Arguments arguments{"sim", "gemm", "--m", "64", "--k", "128", "--n", "64", "--json", "result.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string said(const Arguments& arguments) {
  const Workplace place;
  const Ended ended = place.run(kProgram, arguments);
  CHECK(ended.exit_code == 0);
  return ended.out;
}

double metric(const kernbench::Json& row, const std::string& name) { return row.at("metrics").at(name).get<double>(); }

double sum_of_parts(const kernbench::Json& row) {
  double sum = 0;
  for (const auto& [name, value] : row.at("metrics").items()) {
    if (name.starts_with("energy_") && name != "energy_pj") sum += value.get<double>();
  }
  return sum;
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.5 a GEMM on the costed machine takes what its shape says, in the time of the machine it is based on") {
    const auto costed = rows_of(gemm({"--variant", "ref_ref", "--topology", kCosted})).at(0);
    const auto bare = rows_of(gemm({"--variant", "ref_ref"})).at(0);
    CHECK(metric(costed, "time_ns") == metric(bare, "time_ns"));
    CHECK_FALSE(bare.at("metrics").contains("energy_pj"));
    const double macs = 64.0 * 128 * 64;
    const double operands = 2 * (64.0 * 128 * 2 + 128.0 * 64 * 2);  // each twice
    const double results = 64.0 * 64 * 2;
    CHECK(metric(costed, "energy_mac_pj") == doctest::Approx(macs * 0.59).epsilon(1e-12));
    CHECK(metric(costed, "energy_hbm_pj") == doctest::Approx((operands + results) * 31.8).epsilon(1e-12));
    CHECK(metric(costed, "energy_router_pj") == doctest::Approx((operands + results) * 1.5).epsilon(1e-12));
    CHECK(metric(costed, "energy_tcm_pj") == doctest::Approx(2 * (operands + results) * 1.75).epsilon(1e-12));
    CHECK(metric(costed, "energy_registers_pj") == doctest::Approx((operands + results) * 0.072).epsilon(1e-12));
    CHECK(metric(costed, "energy_static_pj") == doctest::Approx(metric(costed, "time_ns") * 1420).epsilon(1e-12));
    CHECK(metric(costed, "energy_pj") == doctest::Approx(sum_of_parts(costed)).epsilon(1e-12));
    CHECK(metric(costed, "avg_power_w") ==
          doctest::Approx(metric(costed, "energy_pj") / metric(costed, "time_ns") / 1000).epsilon(1e-12));
    CHECK(metric(costed, "tflops_per_watt") ==
          doctest::Approx(metric(costed, "tflops") / metric(costed, "avg_power_w")).epsilon(1e-12));
  }

  TEST_CASE("36.5 over PEs, element by element, by mapping, in collectives: parts add up everywhere") {
    for (const Arguments& arguments :
         {gemm({"--over", "die", "--variant", "split_k", "--topology", kCosted}),
          gemm({"--map", "auto", "--topology", kCosted}),
          gemm({"--variant", "load_load", "--dtype", "int8", "--epilogue", "bias+relu", "--topology", kCosted}),
          Arguments{"sim", "operator", "--op", "gelu", "--sequence", "64", "--dimension", "64", "--json", "result.json",
                    "--topology", kCosted},
          Arguments{"sim", "collective", "--scale", "package", "--sizes", "4KiB", "--json", "result.json", "--topology",
                    kCosted}}) {
      CAPTURE(arguments[1]);
      const auto row = rows_of(arguments).at(0);
      CHECK(metric(row, "energy_pj") > 0);
      CHECK(metric(row, "energy_pj") == doctest::Approx(sum_of_parts(row)).epsilon(1e-12));
      CHECK(metric(row, "avg_power_w") > 0);
    }
  }

  TEST_CASE("36.10 stages and static power add up; a stage of which a key is missing has no energy") {
    const Arguments command = gemm({"--variant", "ref_ref", "--epilogue", "relu", "--topology", kCosted});
    const auto row = rows_of(command).at(0);
    double sum = metric(row, "energy_static_pj");
    int known = 0;
    for (const kernbench::Json& stage : row.at("stages")) {
      known += stage.contains("energy_pj") ? 1 : 0;
      sum += stage.value("energy_pj", 0.0);
    }
    CHECK(known == 6);  // all but control and schedule
    CHECK(sum == doctest::Approx(metric(row, "energy_pj")).epsilon(1e-12));
    const auto energy_of = [](const kernbench::Json& of, const std::string& name) {
      for (const kernbench::Json& stage : of.at("stages")) {
        if (stage.at("stage") == name) return stage.value("energy_pj", -1.0);
      }
      return -2.0;
    };
    CHECK(energy_of(row, "mac") == doctest::Approx(64.0 * 128 * 64 * 0.59).epsilon(1e-12));
    CHECK(energy_of(row, "dma_out") == doctest::Approx(64.0 * 64 * 2 * (31.8 + 1.5 + 1.75)).epsilon(1e-12));
    CHECK(energy_of(row, "control") == -1);
    Arguments no_hbm = command;
    no_hbm.insert(no_hbm.end(), {"--set", "energy.hbm=none"});
    const auto partly = rows_of(no_hbm).at(0);
    CHECK(energy_of(partly, "dma_in") == -1);
    CHECK(energy_of(partly, "mac") == energy_of(row, "mac"));
    const auto unpriced = rows_of(gemm({"--variant", "ref_ref"})).at(0);
    for (const kernbench::Json& stage : unpriced.at("stages")) {
      CHECK_FALSE(stage.contains("energy_pj"));
    }
  }

  TEST_CASE("36.4 what the file does not say is named on the page and in the row") {
    const Arguments fp8 = gemm({"--variant", "ref_ref", "--dtype", "fp8", "--topology", kCosted});
    CHECK(rows_of(fp8).at(0).at("metrics").at("energy_missing") == "energy.mac.fp8_e4m3");
    Arguments shown(fp8.begin(), fp8.end());
    std::erase(shown, "--json");
    std::erase(shown, "result.json");
    CHECK(has(said(shown), "energy      not computed: the machine file does not say energy.mac.fp8_e4m3;"));
    shown.insert(shown.end(), {"--set", "energy.mac.fp8_e4m3=0.3 pJ"});
    const std::string page = said(shown);
    CHECK(has(page, "TFLOPS a watt"));
    CHECK_FALSE(has(page, "not computed"));
    CHECK_FALSE(has(said({"sim", "gemm", "--m", "64", "--k", "64", "--n", "64"}), "energy"));
  }

  TEST_CASE("36.9 topology show has the cost with its parts, or the price that is missing") {
    const std::string costed = said({"topology", "show", kCosted});
    CHECK(has(costed, "cost of hbm_bandwidth           = 2444.49 mm2"));  // 256 x 256 GB/s x 0.0373
    CHECK(has(costed, "cost of the machine             = "));
    const std::string partly = said({"topology", "show", kCosted, "--set", "cost.sram=none"});
    CHECK(has(partly, "cost of sram                    = not computed"));
    CHECK(has(partly, "cost of the machine             = not computed: no cost.sram"));
    CHECK_FALSE(has(said({"topology", "show"}), "cost"));
  }
}
