// The bench `gemm-micro`: its rows are those of `sim gemm`, of a part, and of several PEs where these share nothing.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

const std::string kWithEnergies = kernbench::source_dir() + "/topology/milestone_1h_costed.yaml";

Json micro_rows(const std::string& only, const std::vector<std::string>& more = {}) {
  const Workplace place;
  std::vector<std::string> arguments{"run", "gemm-micro", "--only", only, "--no-figures", "-q"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return Json::parse(std::ifstream(place.path() / "out/gemm-micro/results.json")).at("rows");
}

double micro_number(const Json& row, const char* name) { return row.at("metrics").at(name).get<double>(); }

Json of_one_pe(const std::string& m, const std::string& k, const std::string& n, const std::string& dtype) {
  return kernbench::rows_of({"sim", "gemm", "--m", m, "--k", k, "--n", n, "--dtype", dtype, "--map", "auto",
                             "--topology", kWithEnergies, "--json", "result.json"})
      .front();
}

}  // namespace

TEST_SUITE("ADR-0045") {
  TEST_CASE("45.3 45.4 a row takes as long as sim gemm --map auto of a part, whatever the dtype") {
    const Json rows = micro_rows("shape=512x256x1024,dtype=fp32,dtype=fp8_e4m3");
    REQUIRE(rows.size() == 2);
    for (const Json& row : rows) {
      CHECK(row.at("metrics").at("parts") == "8x32");
      const Json part = of_one_pe("64", "256", "32", row.at("point").at("dtype"));
      CHECK(micro_number(row, "time_ns") == micro_number(part, "time_ns"));
      CHECK(row.at("metrics").at("mapping") == part.at("metrics").at("mapping"));
      CHECK(micro_number(row, "tflops") == doctest::Approx(256 * micro_number(part, "tflops")));
      CHECK(micro_number(row, "hbm_read_bytes") == 256 * micro_number(part, "hbm_read_bytes"));
    }
  }

  TEST_CASE("45.3 45.6 where PEs have their operands by rows it is the run of all of them, in time and energy") {
    const Json row = micro_rows("shape=256x512x32,dtype=bf16,over=die").front();
    CHECK(row.at("metrics").at("parts") == "8x1");
    const Json together = kernbench::rows_of({"sim", "gemm", "--m", "256", "--k", "512", "--n", "32", "--over", "die",
                                              "--place", "a=rows,b=replicate,c=rows", "--map",
                                              row.at("metrics").at("mapping").get<std::string>() + " split_k=1",
                                              "--topology", kWithEnergies, "--json", "result.json"})
                              .front();
    for (const char* name : {"time_ns", "tflops", "energy_pj", "energy_static_pj", "avg_power_w", "tflops_per_watt"}) {
      CHECK(micro_number(row, name) == micro_number(together, name));
    }
    CHECK(micro_number(row, "peak_fraction") == micro_number(together, "useful_eff"));
  }

  TEST_CASE("45.3 45.6 ragged parts: the slowest decides, energies are their sum") {
    const Json row = micro_rows("shape=96x128x40,dtype=fp16,over=die,variant=load_load").front();
    CHECK(row.at("metrics").at("parts") == "3x2");
    const auto part = [](const char* n) {
      return kernbench::rows_of({"sim", "gemm", "--m", "32", "--k", "128", "--n", n, "--dtype", "fp16", "--variant",
                                 "load_load", "--topology", kWithEnergies, "--json", "result.json"})
          .front();
    };
    const Json large = part("32");
    const Json small = part("8");
    CHECK(micro_number(small, "time_ns") < micro_number(large, "time_ns"));
    CHECK(micro_number(row, "time_ns") == micro_number(large, "time_ns"));
    CHECK(micro_number(row, "idle_pes") == 2);
    double all = 0;
    for (const char* name :
         {"energy_mac_pj", "energy_registers_pj", "energy_tcm_pj", "energy_hbm_pj", "energy_router_pj"}) {
      CHECK(micro_number(row, name) == doctest::Approx(3 * micro_number(large, name) + 3 * micro_number(small, name)));
      all += micro_number(row, name);
    }
    CHECK(micro_number(row, "energy_static_pj") == doctest::Approx(6 * micro_number(large, "energy_static_pj")));
    all += micro_number(row, "energy_static_pj") + row.at("metrics").value("energy_vector_pj", 0.0);
    CHECK(micro_number(row, "energy_pj") == doctest::Approx(all));
  }

  TEST_CASE("45.4 a mapping of one's own, and values verified in every part") {
    const Json row =
        micro_rows("shape=80x96x72,dtype=bf16,over=0.0.0-0.0.3,variant=block=32x64x32 order=mkn", {"--verify"}).front();
    CHECK(row.at("status") == "ok");
    CHECK(row.at("flags") == Json{"verified"});
    CHECK(has(row.at("metrics").at("mapping"), "block=32x64x32 order=mkn"));
  }

  TEST_CASE("45.1 on any machine, and any of its PEs; energy that is not known is absent, and TFLOPS are there") {
    const Json rows = micro_rows("shape=128x128x128,dtype=bf16,over=system,over=package,over=0.0.0");
    REQUIRE(rows.size() == 3);
    CHECK(micro_number(rows[0], "pes") == 256);
    CHECK(micro_number(rows[1], "pes") == 128);
    CHECK(micro_number(rows[2], "pes") == 1);
    CHECK(micro_number(rows[0], "peak_tflops") == doctest::Approx(256 * 8.192));
    CHECK(rows[0].at("metrics").at("device") == "milestone-1h-costed");
    const std::string topology = kernbench::source_dir() + "/topology/";
    const Json plain =
        micro_rows("shape=128x128x128,dtype=bf16", {"--topology", topology + "milestone_1h.yaml"}).front();
    CHECK(micro_number(plain, "tflops") == micro_number(rows[0], "tflops"));
    for (const char* name : {"energy_pj", "avg_power_w", "tflops_per_watt"}) CHECK(!plain.at("metrics").contains(name));
    const Json fp8 = micro_rows("shape=128x128x128,dtype=fp8_e4m3").front();
    CHECK(fp8.at("metrics").at("energy_missing") == "energy.mac.fp8_e4m3");
    CHECK(!fp8.at("metrics").contains("tflops_per_watt"));
    CHECK(micro_number(fp8, "tflops") > 0);
    const Json npu = micro_rows("shape=128x128x128", {"--topology", topology + "edge_npu.yaml"});
    REQUIRE(npu.size() == 4);
    for (const Json& row : npu) {
      const bool does = row.at("point").at("dtype") == "fp16" || row.at("point").at("dtype") == "bf16";
      CHECK(row.at("status") == (does ? "ok" : "skipped"));
      if (!does) CHECK(has(row.at("reason"), "the machine's MAC array has no rate for it"));
    }
  }

  TEST_CASE("45.7 shapes, dtypes and PEs that are none are refused before a run") {
    const auto refused = [](const std::string& only) {
      return kernbench::refusal({"run", "gemm-micro", "--only", only});
    };
    CHECK(has(refused("shape=64x64"), "expected MxKxN, got '64x64'"));
    CHECK(has(refused("dtype=fp31"), "fp32"));
    CHECK(has(refused("variant=load_lod"), "did you mean 'load_load'?"));
    CHECK(has(refused("variant=split_k=4"), "split_k: expected 1 on one PE"));
    CHECK(has(refused("over=dye"), "over"));
    CHECK(has(refused("backend=inductor"), "expected simulated, got 'inductor'"));
  }
}
