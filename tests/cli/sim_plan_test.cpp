// `kernbench sim W --plan`: what would be done, before it is.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;
using kernbench::refusal;
using kernbench::rows_of;

namespace {

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kVariants{"sim", "gemm", "--m", "256", "--k", "256", "--n", "256", "--variant", "all"};
const Words kPlanned{"--plan", "--json", "result.json"};

}  // namespace

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.10 a row a point, with the bound that its simulation is held against, and the memory that it takes") {
    const Json planned = rows_of(with(kVariants, kPlanned));
    const Json simulated = rows_of(with(kVariants, {"--json", "result.json"}));
    REQUIRE(planned.size() == simulated.size());
    REQUIRE(planned.size() > 2);
    for (std::size_t i = 0; i < planned.size(); ++i) {
      CHECK(planned[i].at("point") == simulated[i].at("point"));
      CHECK(planned[i].at("metrics").at("time_ns") == simulated[i].at("metrics").at("bound_ns"));
    }
    const Json carried = rows_of(with(with(kVariants, {"--verify"}), kPlanned));
    for (std::size_t i = 0; i < planned.size(); ++i) {
      const double more = carried[i].at("metrics").at("memory_bytes").get<double>() -
                          planned[i].at("metrics").at("memory_bytes").get<double>();
      CHECK(more >= 3 * 256 * 256 * 2);  // the values of A, B and C
    }
  }

  TEST_CASE("27.10 what is wrong is told as by the simulation: what does not fit the machine, and --memory") {
    const Words small{"--set", "pe.tcm.capacity=128 KiB"};
    const Words named =
        with({"sim", "gemm", "--m", "256", "--k", "256", "--n", "256", "--variant", "load_load"}, small);
    CHECK(refusal(with(named, {"--plan"})) == refusal(named));
    const Words large{"sim", "collective", "--sizes", "64MiB", "--chunk", "2B", "--memory", "4 GiB"};
    CHECK(refusal(with(large, {"--plan"})) == refusal(large));
    const Words no_room{"sim", "collective", "--sizes", "64GiB"};
    CHECK(refusal(with(no_room, {"--plan"})) == refusal(no_room));
    const Words beside{"sim", "concurrent", "--m", "64", "--k", "64", "--n", "64", "--sizes", "64GiB"};
    CHECK(refusal(with(beside, {"--plan"})) == refusal(beside));
    const Words kernel{"sim", "mlp", "--over", "0.0.0", "--set", "die.hbm.capacity=1 MiB"};
    CHECK(refusal(with(kernel, {"--plan"})) == refusal(kernel));
    const Json planned = rows_of(with(with(kVariants, small), kPlanned));
    const Json simulated = rows_of(with(with(kVariants, small), {"--json", "result.json"}));
    for (std::size_t i = 0; i < planned.size(); ++i) CHECK(planned[i].at("status") == simulated[i].at("status"));
  }

  TEST_CASE("27.10 for every workload, on machines of PEs and on GPUs; nothing is written") {
    const std::string gpu = kernbench::source_dir() + "/topology/h200_x4.yaml";
    const auto check_says = [](const std::string& workload, const Words& more, const std::string& part) {
      CAPTURE(workload);
      const Workplace place;
      const Ended ended = place.run(kProgram, with({"sim", workload, "--plan"}, more));
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      CHECK_MESSAGE(has(ended.out, part), ended.out);
      CHECK(widest_line(ended.out) <= 80);
      for (const auto& file : std::filesystem::directory_iterator(place.path())) {
        const std::string name = file.path().filename().string();
        CHECK_MESSAGE((name == "stdout" || name == "stderr"), name);
      }
    };
    const Words square{"--m", "64", "--k", "64", "--n", "64"};
    check_says("gemm", with(square, {"--over", "die"}), "bound (ns)  bound by  memory\n");
    check_says("gemm", with(square, {"--topology", gpu}), "bound (ns)  bound by\n");
    check_says("operator", {"--op", "gelu", "--sequence", "64", "--dimension", "64"}, "bound (ns)  bound by  memory\n");
    check_says("collective", {"--sizes", "1KiB,2KiB"}, "bound (ns)   bound by  memory\n");
    check_says("collective", {"--topology", gpu}, "neither a bound in closed form nor an estimate of memory");
    check_says("concurrent", with(square, {"--sizes", "1KiB"}), "bound (ns)  bound by  memory\n");
    check_says("shift_around", {}, "kernel        memory\n");
    CHECK(has(refusal(with(kVariants, {"--plan", "--out", "out"})), "excludes"));
  }
}
