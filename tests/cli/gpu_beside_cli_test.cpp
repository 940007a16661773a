// `kernbench sim concurrent` and `kernbench sim collective` on GPUs.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using namespace kernbench;

namespace {

std::vector<std::string> on_four(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), {"--topology", kernbench::source_dir() + "/topology/h200_x4.yaml"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> beside(const std::vector<std::string>& more) {
  return on_four({"sim", "concurrent", "--m", "1024", "--k", "4096", "--n", "4096"}, more);
}

}  // namespace

TEST_SUITE("ADR-0050") {
  TEST_CASE("50.9 a product beside a collective: each alone, together, over which SMs, why") {
    const Workplace place;
    const Ended ended = place.run(kProgram, beside({"--sizes", "64MiB", "--channels", "8"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    for (const char* part : {"beside all_reduce of 64 MiB over 4 GPUs", "8 channels of 544 threads on 8 SMs",
                             "124 of its 128 CTAs fit the 124 SMs left", "2 rounds of tiles instead"}) {
      CHECK_MESSAGE(has(ended.out, part), ended.out);
    }
    CHECK(widest_line(ended.out) <= 80);
    // The page shows this very answer.
    std::ifstream file(kernbench::source_dir() + "/docs/gpu-beside.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    std::istringstream answer(ended.out);
    for (std::string line; std::getline(answer, line) && !line.starts_with("events");) {
      CHECK_MESSAGE(has(page, line.empty() ? "" : "    " + line), line);
    }
    const Json rows = rows_of(beside({"--sizes", "64MiB", "--channels", "4", "--json", "result.json"}));
    CHECK(rows.at(0).at("metrics").at("rounds_left") == 1);
    CHECK(rows.at(0).at("metrics").at("gemm_slowdown").get<double>() < 1.1);
  }

  TEST_CASE("50.9 in the steady state both are under the power limit, and the product takes longer") {
    const auto alone = [](const std::string& state) {
      const Json rows =
          rows_of(beside({"--sizes", "64MiB", "--channels", "8", "--state", state, "--json", "result.json"}));
      CHECK(rows.at(0).at("point").at("state") == state);
      return rows.at(0).at("metrics").at("gemm_alone_ns").get<double>();
    };
    CHECK(alone("steady") > 1.1 * alone("burst"));
    CHECK(has(refusal({"sim", "gemm", "--m", "64", "--k", "64", "--n", "64", "--state", "steady"}),
              "--state: expected a machine file of `kind: gpu`"));
  }

  TEST_CASE("50.9 what is told of how both met: spread of collectives, few threads, nothing that met") {
    const Workplace place;
    const auto told = [&place](const std::vector<std::string>& more) {
      const Ended ended = place.run(kProgram, beside(more));
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      return std::regex_replace(ended.out, std::regex("\\s+"), " ");
    };
    CHECK(has(told({"--sizes", "64MiB", "--channels", "8"}), "A collective took 7"));
    CHECK(has(told({"--sizes", "64MiB", "--channels", "24", "--nccl-threads", "64"}),
              "times of channels of 96 threads are a tenth to a fifth too short"));
    // 108 SMs of 132 hold 108 of 128 CTAs, one each: the others are no further round.
    CHECK(has(told({"--sizes", "64MiB", "--dtype", "fp32", "--channels", "24"}),
              "the others wait until the collective ends"));
    CHECK(has(told({"--sizes", "64MiB", "--channels", "131"}), "fits the 1 SM left"));
    // A collective of a picosecond comes between two products.
    CHECK(has(told({"--collective", "all_gather", "--sizes", "1B", "--set", "nccl.small_start=0us", "--set",
                    "nccl.small_hop=0us", "--set", "nccl.ll_write=1000 TB/s", "--set", "nvlink.bandwidth=1000 TB/s"}),
              "times"));
  }

  TEST_CASE("50.9 what is not a collective is refused") {
    CHECK(has(refusal(beside({"--sizes", "many"})), "--sizes"));
    CHECK(has(refusal(beside({"--collective", "all_redcue"})), "all_reduce"));
    CHECK(has(refusal(beside({"--gpus", "5"})), "expected 2 to nvlink.gpus, 4"));
    CHECK(has(refusal(beside({"--algorithm", "ring"})), "--algorithm: expected a machine of PEs"));
    CHECK(has(refusal(on_four({"sim", "concurrent", "--m", "8", "--k", "64", "--n", "8"},
                              {"--sizes", "100GiB", "--channels", "1"})),
              "at most 100,000 products"));
    const std::string one = kernbench::source_dir() + "/topology/h200.yaml";
    CHECK(has(refusal({"sim", "concurrent", "--topology", one, "--m", "64", "--k", "64", "--n", "64"}),
              "a collective over 1 GPU: expected a machine of several; h200 is one"));
  }
}

TEST_SUITE("ADR-0051") {
  TEST_CASE("51.5 sim collective on GPUs prints a row a size") {
    const Workplace place;
    const Ended ended = place.run(kProgram, on_four({"sim", "collective"}, {"--sizes", "1KiB,4MiB,1GiB"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    for (const char* part : {"collective on h200_x4, 3 points", "LL128", "Simple", "hops", "links"}) {
      CHECK_MESSAGE(has(ended.out, part), ended.out);
    }
    CHECK(widest_line(ended.out) <= 80);
    const std::vector<std::string> more{"--sizes", "1KiB", "--collective", "all_gather",
                                        "--gpus",  "2",    "--json",       "result.json"};
    const Json rows = rows_of(on_four({"sim", "collective"}, more));
    CHECK(rows.at(0).at("metrics").at("protocol") == "LL");
    CHECK(rows.at(0).at("point").at("gpus") == 2);
  }

  TEST_CASE("51.5 options of the other kind of machine are refused") {
    CHECK(
        has(refusal(on_four({"sim", "collective"}, {"--algorithm", "all"})), "--algorithm: expected a machine of PEs"));
    CHECK(has(refusal(on_four({"sim", "collective"}, {"--verify"})), "--verify: expected a machine of PEs"));
    CHECK(has(refusal(on_four({"sim", "collective"}, {"--collective", "reduce"})), "a reduce on GPUs: expected"));
    CHECK(has(refusal({"sim", "collective", "--channels", "4"}), "expected a machine file of `kind: gpu`"));
  }
}
