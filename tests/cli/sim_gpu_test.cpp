// `kernbench sim gemm`, `map gemm` and `topology` of a GPU.
#include <doctest/doctest.h>

#include <regex>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using namespace kernbench;

namespace {

const std::string kH200 = kernbench::source_dir() + "/topology/h200.yaml";

std::vector<std::string> gpu_command(const std::string& command, std::vector<std::string> more = {}) {
  std::vector<std::string> words{command, "gemm", "--topology", kH200, "--m", "1024", "--k", "4096", "--n", "4096"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_SUITE("ADR-0048") {
  TEST_CASE("48.3 a product on a GPU: which kernel, how long, at what clock, what limits") {
    const Workplace place;
    const Ended ended = place.run(kProgram, gpu_command("sim"));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    for (const char* part :
         {"gemm 1024x4096x4096 bf16 on h200", "kernel ", "burst", "--state burst,steady", "tensor cores", "launch"}) {
      CHECK_MESSAGE(has(ended.out, part), ended.out);
    }
    CHECK(widest_line(ended.out) <= 80);
    const Json rows =
        rows_of(gpu_command("sim", {"--json", "result.json", "--l2", "flushed", "--state", "burst,steady"}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("point").at("l2") == "flushed");
    CHECK(rows[1].at("metrics").at("sm_clock_mhz").get<double>() < 1980);
    CHECK(rows[0].at("metrics").at("time_ns").get<double>() < rows[1].at("metrics").at("time_ns").get<double>());
  }

  TEST_CASE("48.3 options that only PEs have are refused by name, and so is what a GPU cannot do") {
    CHECK(has(refusal(gpu_command("sim", {"--variant", "load_ref"})),
              "--variant: expected auto, or a kernel of the GPU's library"));
    CHECK(has(refusal(gpu_command("sim", {"--verify"})), "--verify: expected a machine of PEs"));
    CHECK(has(refusal(gpu_command("sim", {"--over", "die"})), "--over: expected a machine of PEs"));
    CHECK(has(refusal(gpu_command("sim", {"--dtype", "int8"})), "has no section tensor.int8"));
    CHECK(has(refusal(gpu_command("sim", {"--l2", "cold"})), "--l2"));
    CHECK(has(refusal(gpu_command("sim", {"--map", "256x256"})), "sm.accumulators"));
    CHECK(has(refusal(gpu_command("sim", {"--set", "hbm.bandwith=1 TB/s"})), "did you mean 'hbm.bandwidth'?"));
  }
}

TEST_SUITE("ADR-0049") {
  TEST_CASE("49.5 --map names a kernel; map gemm lists the fastest ones and the library's choice") {
    const Json rows = rows_of(gpu_command("sim", {"--json", "result.json", "--map", "128x128 cluster=2x1"}));
    CHECK(rows[0].at("metrics").at("kernel") == "128x128 cluster=2x1");
    const Json listed = rows_of(gpu_command("map", {"--json", "result.json", "--top", "5"}));
    CHECK(listed.size() >= 5);
    CHECK(has(refusal(gpu_command("map", {"--variant", "128x128"})), "expected auto, of which kernels are compared"));
    CHECK(listed[0].at("metrics").at("time_ns").get<double>() <= listed[4].at("metrics").at("time_ns").get<double>());
  }
}

TEST_SUITE("ADR-0052") {
  TEST_CASE("52.7 benches on GPUs refuse machines of PEs, and those on PEs refuse GPUs") {
    const auto run = [](const std::string& bench, const std::string& machine) {
      return std::vector<std::string>{"run", bench, "--topology", kernbench::source_dir() + "/topology/" + machine};
    };
    CHECK(
        has(refusal(run("gpu-predicted", "milestone_1h.yaml")), "expected a GPU (kind: gpu), for bench gpu-predicted"));
    CHECK(has(refusal(run("milestone-1h-gemm", "h200.yaml")), "expected a machine of PEs, got a GPU"));
    CHECK(has(refusal({"run", "gpu-predicted", "--sweep", "hbm.bandwidth=4TB/s,5TB/s"}),
              "expected a bench of any machine, as gemm is on GPUs too; the rows of gpu-predicted"));
    CHECK(has(refusal({"whatif", "bench", "gpu-predicted"}), "expected a bench of any machine"));
    CHECK(has(refusal({"search", "gpu-predicted", "--vary", "pe.stream_depth=1,2", "--minimise", "time_ns"}),
              "expected a bench of any machine"));
  }
}

TEST_SUITE("ADR-0048") {
  TEST_CASE("48.1 topology show lists each number with how it was obtained, and check its hash") {
    const Workplace place;
    const Ended shown = place.run(kProgram, {"topology", "show", kH200});
    CHECK(shown.exit_code == 0);
    CHECK(has(shown.out, "hbm.bandwidth "));
    CHECK(has(shown.out, "data_sheet"));
    const Ended checked = place.run(kProgram, {"topology", "check", kH200});
    CHECK(has(checked.out, "GPU h200 is valid"));
  }
}

TEST_SUITE("ADR-0061") {
  TEST_CASE("61.1 --launch says how products follow one another, and where a host's time goes") {
    const std::string gpu = kernbench::source_dir() + "/topology/h200.yaml";
    const std::vector<std::string> gemm{"sim", "gemm", "--topology", gpu, "--m", "512", "--k", "512", "--n", "512"};
    const auto launched = [&](const std::string& way, const std::vector<std::string>& more) {
      std::vector<std::string> words = gemm;
      words.insert(words.end(), {"--launch", way});
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    const Json graph = rows_of(launched("graph", {"--json", "result.json"})).at(0);
    const Json stream = rows_of(launched("stream", {"--json", "result.json"})).at(0);
    const Json eager = rows_of(launched("eager", {"--set", "launch.host=9 us", "--json", "result.json"})).at(0);
    const auto ns = [](const Json& row, const char* metric) { return row.at("metrics").at(metric).get<double>(); };
    CHECK(!graph.at("point").contains("launch"));
    CHECK(stream.at("point").at("launch") == "stream");
    CHECK(ns(stream, "time_ns") - ns(graph, "time_ns") == doctest::Approx(970));
    CHECK(ns(eager, "time_ns") == doctest::Approx(9000));
    CHECK(ns(eager, "host_wait_ns") == doctest::Approx(9000 - ns(stream, "time_ns")));
    const Workplace place;
    const Ended ended = place.run(kProgram, launched("eager", {}));
    for (const char* part : {"the host's launches", "for the host's next launch", "launches one in 14.5 us"}) {
      CHECK_MESSAGE(has(std::regex_replace(ended.out, std::regex("\\s+"), " "), part), ended.out);
    }
    CHECK(widest_line(ended.out) <= 80);
    CHECK(has(refusal({"sim", "gemm", "--m", "8", "--k", "8", "--n", "8", "--launch", "eager"}),
              "--launch: expected a machine file of `kind: gpu`"));
    CHECK(has(refusal(launched("late", {})), "--launch: unknown launch 'late'"));
  }
}
