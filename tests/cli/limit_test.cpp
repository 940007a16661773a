// What `kernbench sim gemm` says limits a run, and that its cure is one.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/cli/program.hpp"

namespace {

using Arguments = std::vector<std::string>;

struct Told {
  std::string text;
  kernbench::Json metrics;
};

Told run_gemm(const Arguments& more) {
  const Workplace place;
  Arguments arguments{"sim", "gemm", "--m", "256", "--k", "512", "--n", "256", "--json", "result.json"};
  if (std::ranges::find(more, "--variant") == more.end()) arguments.insert(arguments.end(), {"--variant", "ref_ref"});
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

  TEST_CASE("33.7 where special functions limit, their rate is the cure, and else lanes alone") {
    const Arguments slow{"--variant", "load_load", "--epilogue", "silu", "--set", "pe.vector.lanes=8"};
    const Told ill = run_gemm(slow);
    CHECK(ill.metrics.at("limited_by") == "epilogue");
    // 1024 elements on 8 lanes: 2 passes of 128 cycles, and one of special functions at a quarter of the rate.
    CHECK_MESSAGE(has(ill.text,
                      "special functions take 512 of the 768 cycles of an output tile: more of "
                      "pe.vector.rates.special, now 0.25"),
                  ill.text);
    Arguments more = slow;
    more.insert(more.end(), {"--set", "pe.vector.rates.special=2"});
    const Told cured = run_gemm(more);
    CHECK(cured.metrics.at("time_ns").get<double>() < 0.75 * ill.metrics.at("time_ns").get<double>());
    CHECK_FALSE(has(cured.text, "special functions take"));
    const Told relu = run_gemm({"--variant", "load_load", "--epilogue", "relu", "--set", "pe.vector.lanes=1"});
    CHECK(relu.metrics.at("limited_by") == "epilogue");
    CHECK_MESSAGE(has(relu.text, "more than the 1 of pe.vector.lanes would be faster"), relu.text);
    CHECK_FALSE(has(relu.text, "pe.vector.rates.special"));
    const Told chain = run_gemm({"--variant", "load_load", "--epilogue", "scale+silu", "--set", "pe.vector.lanes=8"});
    CHECK_MESSAGE(has(chain.text, "special functions take 512 of the "), chain.text);
  }

  TEST_CASE("33.7 an operator's cures are an operator's: no K to sum over, no mapping, no accumulators") {
    const Workplace place;
    for (const char* op : {"rmsnorm", "gelu", "softmax"}) {
      for (const char* machine : {"die.hbm.bandwidth=256 GB/s", "die.hbm.bandwidth=64 GB/s", "pe.vector.lanes=4096",
                                  "pe.dma.setup_latency=200 ns"}) {
        const Ended ended = place.run(kProgram, {"sim", "operator", "--op", op, "--sequence", "128", "--dimension",
                                                 "1024", "--over", "die", "--set", machine, "--wide"});
        REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
        REQUIRE(has(ended.out, "limited by"));
        for (const char* of_gemm : {"more K", "--map", "accumulators", "operand_registers"}) {
          CHECK_MESSAGE(!has(ended.out, of_gemm), ended.out);
        }
      }
    }
  }

  TEST_CASE("33.13 two units that are both at work nearly always are named together") {
    // A tile takes the array 16 ns, and 8 KiB at 512 GB/s as long; HBM half of that.
    Arguments fed;
    for (const char* key : {"die.hbm.bandwidth=1 TB/s", "die.router.link_bandwidth=1 TB/s",
                            "pe.tcm.write_bandwidth=1 TB/s", "pe.dma.outstanding_bursts=256"}) {
      fed.insert(fed.end(), {"--set", key});
    }
    const Told both = run_gemm(fed);
    CHECK_MESSAGE(has(both.text, "as busy MAC array 9"), both.text);
    CHECK_MESSAGE(has(both.text, ", fetch from TCM 9"), both.text);
    fed.insert(fed.end(), {"--set", "pe.fetch_bandwidth=1 TB/s"});
    const Told one = run_gemm(fed);
    CHECK(has(one.text, "limited by MAC array"));
    CHECK_FALSE(has(one.text, "as busy"));
  }

  TEST_CASE("33.11 over several PEs it tells the ledger of the last one, and each cause over all") {
    const Told told = run_gemm({"--over", "die", "--variant", "split_k"});
    const auto ns = [&told](const std::string& name) { return told.metrics.at(name).get<double>(); };
    CHECK(has(told.text, "last PE " + told.metrics.at("critical_pe").get<std::string>() + ", which ends last"));
    CHECK(has(told.text, "limited by "));
    CHECK(has(told.text, "time spent (ns) last PE mean least most"));
    double sum = 0;
    for (const char* cause : {"mac", "hbm", "receive", "latency"}) {
      const std::string metric = std::string("ledger_") + cause;
      CAPTURE(metric);
      CHECK(ns(metric + "_min_ns") <= ns(metric + "_mean_ns"));
      CHECK(ns(metric + "_mean_ns") <= ns(metric + "_max_ns"));
      CHECK(ns(metric + "_ns") <= ns(metric + "_max_ns"));
    }
    const std::regex of_last("ledger_[a-z]+(_[a-z]+)?_ns");
    const std::regex over_all("ledger_.*_(mean|min|max)_ns");
    for (const auto& [name, value] : told.metrics.items()) {
      if (std::regex_match(name, of_last) && !std::regex_match(name, over_all)) sum += value.get<double>();
    }
    CHECK(sum == doctest::Approx(ns("time_ns")).epsilon(1e-9));
  }

  TEST_CASE("33.12 beside a collective it tells what each cause grew by, and keeps the ledgers of both runs") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "concurrent", "--m", "256", "--k", "256", "--n", "256", "--sizes",
                                             "256KiB", "--json", "result.json"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const auto text = std::regex_replace(ended.out, std::regex("\\s+"), " ");
    const auto row = kernbench::Json::parse(std::ifstream(place.path() / "result.json")).at("rows").at(0);
    const auto ns = [&row](const char* name) {
      return row.at("metrics").value(name, 0.0);  // what no PE has is left out
    };
    const double alone = ns("ledger_contention_alone_ns");
    const double together = ns("ledger_contention_mean_ns");
    CHECK(together > alone);
    CHECK_MESSAGE(
        has(text, "contention with others " + kernbench::one_decimal(alone) + " " + kernbench::one_decimal(together) +
                      " " + kernbench::one_decimal(together - alone) + " "),
        text);
    CHECK(has(text, "last PE " + row.at("metrics").at("critical_pe").get<std::string>() +
                        ", whose part of the GEMM ends last"));
    CHECK(has(text, "limited by "));
    CHECK(row.at("windows").at("pe_ns").get<double>() == doctest::Approx(ns("gemm_with_ns")));
  }

  TEST_CASE("33.1 33.6 the summary names what the time spent, and the comparison of variants what limits each") {
    const Told told = run_gemm({});
    CHECK(has(told.text, "limited by HBM bandwidth, for up to "));
    CHECK(has(told.text, "time spent HBM bandwidth "));
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"sim", "gemm", "--m", "256", "--k", "512", "--n", "256", "--variant", "all"});
    CHECK(has(ended.out, "limited by"));
    CHECK(has(ended.out, "HBM bandwidth "));
  }
}
