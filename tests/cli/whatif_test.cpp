// `kernbench whatif`: questions whose answers are known.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

using Arguments = std::vector<std::string>;

/// 32 x 3072 x 32, every tile of it read once: what an accelerator of decoding does.
Arguments decode(const Arguments& more = {}) {
  Arguments arguments{"--m", "32", "--k", "3072", "--n", "32", "--variant", "ref_ref"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments command(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The row of one machine; each setting is one for --set.
Json row_with(const Json& rows, const std::string& what, const std::string& set) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Json& row) {
    return row.at("point").at("what") == what && row.at("point").at("set") == set;
  });
  REQUIRE(found != rows.end());
  return *found;
}

double times(const Json& row) { return row.at("metrics").at("times_faster"); }

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.4 more HBM, its link and credits together double the speed of a decoding product; MACs do not") {
    const Json rows =
        kernbench::rows_of(command({"whatif", "gemm", "--stairs", "1"}, decode({"--json", "result.json"})));
    CHECK(times(row_with(rows, "key", "die.hbm.bandwidth=512 GB/s")) < 1.01);
    CHECK(times(row_with(rows, "key", "die.router.link_bandwidth=512 GB/s")) < 1.01);
    CHECK(times(row_with(rows, "key", "pe.dma.outstanding_bursts=128")) < 1.01);
    CHECK(times(row_with(rows, "key", "pe.mac.macs_per_cycle=8192")) < 1.01);
    CHECK(times(row_with(rows, "key", "die.hbm.bandwidth=128 GB/s")) < 0.6);
    CHECK(row_with(rows, "key", "die.hbm.bandwidth=281.6 GB/s").at("point").at("with") == "10 % more");
    CHECK(rows.at(0).at("point").at("what") == "base");
    CHECK(rows.at(2).at("point").at("what") == "key");
    const Json stair = rows.at(1);  // no mapping is faster
    CHECK(stair.at("point").at("set") ==
          "die.hbm.bandwidth=512 GB/s; die.router.link_bandwidth=512 GB/s; pe.dma.outstanding_bursts=128");
    CHECK(times(stair) > 1.85);

    // The same machine by hand.
    const Json alone =
        kernbench::rows_of(command({"sim", "gemm", "--set", "die.hbm.bandwidth=512 GB/s", "--set",
                                    "die.router.link_bandwidth=512 GB/s", "--set", "pe.dma.outstanding_bursts=128"},
                                   decode({"--json", "result.json"})));
    CHECK(alone.at(0).at("metrics").at("time_ns") == stair.at("metrics").at("time_ns"));
  }

  TEST_CASE("35.4 on a machine with prices a stair says what it adds to the cost of all its PEs and dies") {
    const Arguments costed{"--topology", kernbench::source_dir() + "/topology/milestone_1h_costed.yaml"};
    const Arguments first = command({"whatif", "gemm", "--stairs", "1"}, costed);
    const Workplace place;
    const Ended ended = place.run(kProgram, command(first, decode({"--wide", "--out", "answer"})));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = Json::parse(kernbench::read_file(place.path() / "answer/results.json")).at("rows");
    const Json& stair = rows.at(1);
    CHECK(stair.at("point").at("set") ==
          "die.hbm.bandwidth=512 GB/s; die.router.link_bandwidth=512 GB/s; pe.dma.outstanding_bursts=128");
    const double memory = 256 * 256 * 0.0373;
    const double links = 32 * 54 * 256 * 0.0053;
    const double bursts = 256 * 2 * 64 * 256 / 1024.0 * 0.0014;
    CHECK(stair.at("metrics").at("added_cost").get<double>() == doctest::Approx(memory + links + bursts).epsilon(1e-9));
    const std::string text = std::regex_replace(ended.out, std::regex(" +"), " ");
    CHECK_MESSAGE(has(text, "cost 15173.1 mm2 as it is; a stair gains most for what it adds"), text);
    CHECK_MESSAGE(has(text, "adds (mm2)"), text);
    CHECK_MESSAGE(has(text, " 4800.51 "), text);
    CHECK(has(kernbench::read_file(place.path() / "answer/index.html"), " times as fast for 4,801 mm2 more. "));
    const std::string partly =
        std::regex_replace(place.run(kProgram, command(command(first, {"--set", "cost.hbm=none"}), decode())).out,
                           std::regex("\\s+"), " ");
    CHECK_MESSAGE(has(partly, "the machine file does not say cost.hbm"), partly);
  }

  TEST_CASE("35.4 35.5 the table names the keys, the limit, and the mapping that costs nothing") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"whatif", "gemm", "--m", "128", "--k", "128", "--n", "128", "--variant",
                                             "ref_ref", "--stairs", "1", "--wide", "--out", "answer"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const std::string text = std::regex_replace(ended.out, std::regex(" +"), " ");
    CHECK_MESSAGE(has(text, "free --map 'tile=32x64x32 block="), text);
    CHECK_MESSAGE(has(text, "as it is 1,139.1 HBM bandwidth"), text);
    CHECK_MESSAGE(has(text, "1 die.hbm.bandwidth 256 GB/s 512 GB/s"), text);
    CHECK_MESSAGE(has(text, "key alone now with half with twice with +10 %"), text);
    CHECK_MESSAGE(has(text, "package.*"), text);
    CHECK_MESSAGE(std::regex_search(text, std::regex("runs \\d+ machines simulated")), text);
    const std::string page = kernbench::read_file(place.path() / "answer/index.html");
    CHECK(
        has(page, "<p id=\"headline\">Another mapping, on the machine as it is, makes it 1.55 times as fast. Twice "));
    const Json rows = Json::parse(kernbench::read_file(place.path() / "answer/results.json")).at("rows");
    for (const auto& [i, what] :
         {std::pair(0, "base"), std::pair(1, "mapping"), std::pair(2, "stair"), std::pair(3, "key")}) {
      CHECK(rows.at(i).at("point").at("what") == what);
    }
    CHECK(rows.at(1).at("point").at("set").get<std::string>().starts_with("tile=32x64x32 block="));
    CHECK(times(rows.at(1)) > 1.5);
  }

  TEST_CASE("35.2 35.4 35.10 --out writes results, figures and a page that begins with the answer") {
    const Workplace place;
    const Ended ended = place.run(kProgram, command({"whatif", "gemm"}, decode({"--stairs", "1", "--out", "answer"})));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const std::filesystem::path folder = place.path() / "answer";
    for (const char* file :
         {"results.json", "results.csv", "figures/stairs.svg", "figures/tornado.svg", "figures/enough.svg"}) {
      CAPTURE(file);
      CHECK(std::filesystem::exists(folder / file));
    }
    const std::string page = kernbench::read_file(folder / "index.html");
    CHECK(
        has(page, "Twice die.hbm.bandwidth, die.router.link_bandwidth and pe.dma.outstanding_bursts together make it"));
    CHECK(has(page, "Twice pe.mac.macs_per_cycle alone gains 0.5 %."));
    CHECK(has(page, "kernbench whatif gemm --m 32 --k 3072 --n 32 --variant ref_ref --stairs 1"));
    const Json rows = Json::parse(kernbench::read_file(folder / "results.json")).at("rows");
    CHECK(rows.front().at("point").at("what") == "base");
    CHECK(rows.at(1).at("point").at("what") == "stair");
    CHECK(times(row_with(rows, "key", "die.hbm.bandwidth=64 GB/s")) < 0.3);
  }

  TEST_CASE("35.7 a bench: wider links and vector unit together for a ring of PEs, no MACs; fewer PEs are no stair") {
    const Json rows =
        kernbench::rows_of({"whatif", "bench", "milestone-1h-ccl", "--only", "case=all_reduce-ring-die-tcm,size=64KiB",
                            "--stairs", "1", "--json", "result.json"});
    const Json& stair = rows.at(1);  // nothing is free
    CHECK(stair.at("point").at("set") == "pe.vector.lanes=256; die.router.link_bandwidth=512 GB/s");
    CHECK(times(stair) == doctest::Approx(1.6).epsilon(0.001));
    CHECK(times(row_with(rows, "key", "pe.mac.macs_per_cycle=8192")) == 1.0);
    CHECK(times(row_with(rows, "key", "die.routers.columns=2")) > 1.1);
    const Json alone = kernbench::rows_of({"sim", "collective", "--sizes", "64KiB", "--set", "pe.vector.lanes=256",
                                           "--set", "die.router.link_bandwidth=512 GB/s", "--json", "result.json"});
    CHECK(alone.at(0).at("metrics").at("time_ns").get<double>() ==
          doctest::Approx(stair.at("metrics").at("time_ns").get<double>()).epsilon(1e-12));

    // The same collective by name.
    const Json named = kernbench::rows_of(
        {"whatif", "collective", "--algorithm", "ring", "--sizes", "64KiB", "--stairs", "1", "--json", "result.json"});
    REQUIRE(named.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(rows.at(i).at("point"));
      CHECK(named.at(i).at("point").at("set") == rows.at(i).at("point").at("set"));
      CHECK(named.at(i).at("status") == rows.at(i).at("status"));
      if (rows.at(i).at("status") != "ok") continue;
      CHECK(named.at(i).at("metrics").at("time_ns").get<double>() ==
            doctest::Approx(rows.at(i).at("metrics").at("time_ns").get<double>()).epsilon(1e-12));
    }
  }

  TEST_CASE("35.5 a collective keeps its ranks: so many, or those of the die, package or system that a machine has") {
    const Json of_die = kernbench::rows_of(
        {"whatif", "collective", "--sizes", "1KiB", "--scale", "die", "--stairs", "0", "--json", "result.json"});
    CHECK(row_with(of_die, "base", "").at("metrics").at("ranks") == 8);
    CHECK(row_with(of_die, "key", "die.routers.columns=2").at("metrics").at("ranks") == 4);
    const Json of_eight = kernbench::rows_of(
        {"whatif", "collective", "--sizes", "1KiB", "--ranks", "8", "--stairs", "0", "--json", "result.json"});
    CHECK(row_with(of_eight, "base", "").at("metrics").at("time_ns") ==
          row_with(of_die, "base", "").at("metrics").at("time_ns"));
    CHECK(row_with(of_eight, "key", "die.routers.columns=2").at("metrics").at("ranks") == 8);
  }

  TEST_CASE("35.5 a mapping is chosen anew on every machine: no row is slower than with that of the machine as it is") {
    const Arguments workload{"--m", "32", "--k",        "512",
                             "--n", "96", "--topology", kernbench::source_dir() + "/topology/tpu_v4_core.yaml"};
    const Arguments ask = command({"whatif", "gemm", "--stairs", "0", "--json", "result.json"}, workload);
    const Json anew = kernbench::rows_of(ask);
    const Json kept = kernbench::rows_of(command(ask, {"--keep-mapping"}));
    CHECK(anew.at(0).at("metrics").at("time_ns") == kept.at(0).at("metrics").at("time_ns"));
    std::size_t faster = 0;
    for (const Json& row : kept) {
      if (row.at("status") != "ok") continue;
      const Json other = row_with(anew, row.at("point").at("what"), row.at("point").at("set"));
      CHECK(times(other) * 1.0001 >= times(row));
      faster += times(other) > 1.02 * times(row) ? 1 : 0;
    }
    CHECK(faster >= 3);
    const Json row = row_with(anew, "key", "pe.mac.weight_buffers=1");
    const std::string mapping = row.at("metrics").at("mapping");
    const Json alone = kernbench::rows_of(command(
        {"sim", "gemm", "--set", "pe.mac.weight_buffers=1", "--json", "result.json", "--map", mapping}, workload));
    CHECK(row.at("metrics").at("time_ns") == alone.front().at("metrics").at("time_ns"));
    CHECK(has(kernbench::refusal(
                  {"whatif", "gemm", "--m", "64", "--k", "64", "--n", "64", "--variant", "ref_ref", "--keep-mapping"}),
              "--keep-mapping: expected no kernel by --variant"));
  }

  TEST_CASE("35.5 a mapping that is asked for in part has that part on every machine") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"whatif", "gemm", "--m", "64", "--k", "64", "--n", "64", "--map",
                                             "block=64x64x64", "--stairs", "0"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "mapping"));
    CHECK(has(ended.out, "block=64x64x64"));
    CHECK_FALSE(has(ended.out, "free"));
    CHECK_FALSE(has(ended.out, "No change of hardware"));
  }
}

TEST_CASE("whatif refuses what contradicts itself") {
  CHECK(has(kernbench::refusal({"whatif", "gemm", "--m", "64", "--k", "64", "--n", "64", "--variant", "nothing"}),
            "unknown variant 'nothing'"));
  CHECK(has(kernbench::refusal(
                {"whatif", "gemm", "--m", "64", "--k", "64", "--n", "64", "--variant", "ref_ref", "--map", "auto"}),
            "--variant: expected one value, got several"));
  CHECK(has(kernbench::refusal({"whatif", "collective", "--algorithm", "ring,direct"}),
            "--algorithm: expected one, got 2"));
  CHECK(has(kernbench::refusal({"whatif", "collective", "--sizes", "1KiB,2KiB"}), "--sizes: expected one, got 2"));
  CHECK(has(kernbench::refusal({"whatif", "collective", "--ranks", "1000000"}), "ranks"));
}
