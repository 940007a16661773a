// `kernbench whatif gemm` of a GPU: what it says is what `sim gemm --set` says.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "benches/io/files/write_file.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;
using kernbench::refusal;
using kernbench::rows_of;

namespace {

using Words = std::vector<std::string>;

const std::string kH200 = kernbench::source_dir() + "/topology/h200.yaml";

Words product(Words command, const Words& more = {}) {
  const Words shape{"--topology", kH200, "--m", "1024", "--k", "4096", "--n", "4096"};
  command.insert(command.end(), shape.begin(), shape.end());
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

Words with_settings(Words command, const std::string& set) {
  for (std::size_t begin = 0; begin < set.size();) {
    const std::size_t end = std::min(set.size(), set.find("; ", begin));
    command.insert(command.end(), {"--set", set.substr(begin, end - begin)});
    begin = end + 2;
  }
  return command;
}

std::vector<Json> rows_with(const Json& rows, const std::string& what) {
  std::vector<Json> found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](const Json& row) { return row.at("point").at("what") == what; });
  return found;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.15 the machine as it is, a stair and a key alone are what sim gemm says by hand") {
    for (const std::string state : {"burst", "steady"}) {
      CAPTURE(state);
      const Json rows = rows_of(
          product({"whatif", "gemm"}, {"--state", state, "--l2", "flushed", "--stairs", "2", "--json", "result.json"}));
      const auto by_hand = [&](const Json& row) {
        const Words command = product({"sim", "gemm"}, {"--l2", "flushed", "--state", state, "--json", "result.json"});
        return rows_of(with_settings(command, row.at("point").at("set"))).at(0).at("metrics");
      };
      const std::vector<Json> stairs = rows_with(rows, "stair");
      REQUIRE(stairs.size() == 2);
      const auto keys = rows_with(rows, "key");
      const auto more_sms = std::ranges::find_if(keys, [](const Json& row) {
        return row.at("point").at("set").get<std::string>().starts_with("sm.count=264; sm.clustered=");
      });
      REQUIRE(more_sms != keys.end());
      for (const Json& row : {rows.at(0), stairs[0], stairs[1], *more_sms}) {
        CAPTURE(row.at("point").dump());
        const Json alone = by_hand(row);
        for (const char* metric : {"time_ns", "tflops", "sm_clock_mhz", "power_w", "kernel", "limited_by"}) {
          CHECK(row.at("metrics").at(metric) == alone.at(metric));
        }
      }
      CHECK(more_sms->at("metrics").at("times_faster").get<double>() ==
            doctest::Approx(rows.at(0).at("metrics").at("time_ns").get<double>() /
                            more_sms->at("metrics").at("time_ns").get<double>()));
    }
  }

  TEST_CASE("35.15 a kernel that is named stays on every machine; the fastest kernel costs no hardware") {
    const Json rows =
        rows_of(product({"whatif", "gemm"}, {"--map", "64x64", "--stairs", "0", "--json", "result.json"}));
    for (const Json& row : rows_with(rows, "key")) {
      if (row.at("status") == "ok") CHECK(row.at("metrics").at("kernel") == "64x64");
    }
    const std::vector<Json> free = rows_with(rows, "mapping");
    REQUIRE(free.size() == 1);
    const Json fastest = rows_of(product({"map", "gemm"}, {"--top", "1", "--json", "result.json"})).at(0);
    CHECK(free.front().at("point").at("set") == fastest.at("metrics").at("kernel"));
    CHECK(free.front().at("metrics").at("time_ns") == fastest.at("metrics").at("time_ns"));
    const auto keys = rows_with(rows, "key");
    const auto narrow = std::ranges::find_if(keys, [](const Json& row) {
      return row.at("point").at("set").get<std::string>().starts_with("sm.shared_memory=") && row.at("status") != "ok";
    });
    CHECK(narrow == keys.end());  // 64x64 fits half of it
  }

  TEST_CASE("35.15 the report names stairs, limits, keys alone, and what was not tried") {
    const Workplace place;
    const Ended ended = place.run(kProgram, product({"whatif", "gemm"}, {"--out", "answer"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(widest_line(ended.out) <= 80);
    const std::string text = std::regex_replace(ended.out, std::regex("\\s+"), " ");
    for (const char* part :
         {"gemm 1024x4096x4096 bf16 on h200, burst", "kernel 256x128 cluster=1x2, and on every machine its own",
          "sm.count with clustered 132", "no effect ", "nvlink.", "not tried "}) {
      CHECK_MESSAGE(has(text, part), ended.out);
    }
    const std::string page = kernbench::read_file(place.path() / "answer/index.html");
    CHECK(has(page, "Twice hbm.bandwidth alone gains "));
    const Json results = Json::parse(kernbench::read_file(place.path() / "answer/results.json"));
    CHECK(results.at("source").at("machine") == "h200");
    CHECK(std::filesystem::exists(place.path() / "answer/figures"));
  }

  TEST_CASE("35.15 what only PEs have, and what only a GPU has, is refused by name") {
    CHECK(has(refusal(product({"whatif", "gemm"}, {"--variant", "ref_ref"})),
              "--variant: expected auto, or a kernel of the GPU's library"));
    CHECK(has(refusal(product({"whatif", "gemm"}, {"--dtype-b", "int8"})), "--dtype-b: expected a machine of PEs"));
    CHECK(has(refusal(product({"whatif", "gemm"}, {"--map", "512x512"})), "variant: "));
    CHECK(has(refusal(product({"whatif", "gemm"}, {"--dtype", "int8"})), "has no section tensor.int8"));
    CHECK(has(refusal(product({"whatif", "gemm"}, {"--state", "idle"})), "--state"));
    CHECK(has(refusal({"whatif", "gemm", "--m", "32", "--k", "32", "--n", "32", "--state", "steady"}),
              "--state: expected a machine file of `kind: gpu`"));
    CHECK(has(refusal({"whatif", "collective", "--topology", kH200}), "a collective over 1 GPU"));
  }

  TEST_CASE("35.13 a key that is set takes nothing along, and what stays is said") {
    const Words layernorm{"sim", "operator", "--op", "layernorm", "--dimension", "64", "--topology", kH200};
    const auto notes_with = [&layernorm](const Words& more) {
      Words words = layernorm;
      words.insert(words.end(), more.begin(), more.end());
      return Workplace().run(kProgram, words).err;
    };
    const std::string stay =
        "note: hbm.bandwidth is set alone: operators.bandwidth, operators.sustained stay as they are\n";
    CHECK(notes_with({"--set", "hbm.bandwidth=8 TB/s"}) == stay);
    CHECK(notes_with({"--set", "hbm.bandwidth=8 TB/s", "--set", "operators.bandwidth=8 TB/s"}) ==
          "note: hbm.bandwidth is set alone: operators.sustained stays as it is\n");
    CHECK(notes_with({"--set", "operators.launch=1 us"}).empty());
    const Workplace place;
    CHECK(
        has(place.run(kProgram, {"run", "operators", "--topology", kH200, "--set", "hbm.bandwidth=8 TB/s", "--dry-run"})
                .err,
            stay));
  }
}
