// The benches `gemm` and `collective`: workloads of one's own in runs, sweeps, searches and what-ifs.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "benches/io/text/json.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

Json results_at(const Workplace& place, const std::string& file) {
  return Json::parse(std::ifstream(place.path() / file)).at("rows");
}

Json metric_of(const Json& row, const char* name) { return row.at("metrics").at(name); }

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.11 a point of the bench gemm is what sim gemm simulates with the same words") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"run", "gemm", "--only", "m=96,k=200,n=64,dtype=fp16,epilogue=bias+relu",
                                             "--sweep", "variant=ref_ref,load_load,block=96x64x64 order=mnk", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = results_at(place, "out/gemm/results.json");
    REQUIRE(rows.size() == 3);
    const std::vector<std::string> sim{"sim", "gemm", "--m",     "96",   "--k",        "200",
                                       "--n", "64",   "--dtype", "fp16", "--epilogue", "bias,relu"};
    const std::vector<std::vector<std::string>> ways{
        {"--variant", "ref_ref"}, {"--variant", "load_load"}, {"--map", "block=96x64x64 order=mnk"}};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      CAPTURE(i);
      std::vector<std::string> command = sim;
      command.insert(command.end(), ways[i].begin(), ways[i].end());
      command.insert(command.end(), {"--json", "result.json"});
      const Json alone = kernbench::rows_of(command).front();
      for (const char* metric : {"time_ns", "mac_util", "limited_by"}) {
        CHECK(metric_of(rows.at(i), metric) == metric_of(alone, metric));
      }
    }
  }

  TEST_CASE("35.11 a point of the bench collective is what sim collective simulates with the same words") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram, {"run", "collective", "--only", "algorithm=halving_doubling", "--sweep", "size=1..16*4 KiB", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = results_at(place, "out/collective/results.json");
    const Json alone = kernbench::rows_of({"sim", "collective", "--algorithm", "halving_doubling", "--scale", "die",
                                           "--sizes", "1KiB,4KiB,16KiB", "--json", "result.json"});
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) CHECK(metric_of(rows.at(i), "time_ns") == metric_of(alone.at(i), "time_ns"));
    CHECK(rows.at(3).at("point").at("derived") == "fit");
  }

  TEST_CASE("35.11 a point over several PEs is what sim gemm --over simulates with the same words") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"run", "gemm", "--only", "m=128,k=192,n=96,over=die", "--sweep",
                                             "variant=owner_computes,ring_shift", "--verify", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = results_at(place, "out/gemm/results.json");
    REQUIRE(rows.size() == 2);
    for (const Json& row : rows) {
      const std::string variant = row.at("point").at("variant");
      const Json alone = kernbench::rows_of({"sim", "gemm", "--m", "128", "--k", "192", "--n", "96", "--over", "die",
                                             "--variant", variant, "--json", "result.json"});
      for (const char* metric : {"time_ns", "mac_util", "useful_eff", "bound_ns", "network_bytes", "limited_by"}) {
        CHECK(metric_of(row, metric) == metric_of(alone.front(), metric));
      }
      CHECK(metric_of(row, "chosen_placement") == metric_of(alone.front(), "chosen_placement"));
    }
  }

  TEST_CASE("35.11 what no point can be is refused before anything is written; one rank is no collective") {
    const Workplace place;
    const Ended block = place.run(kProgram, {"run", "gemm", "--only", "variant=block=7x7x7,m=64,k=64,n=64", "-q"});
    CHECK(block.exit_code == 2);
    CHECK(has(block.err, "variant block=7x7x7: "));
    const Ended ring =
        place.run(kProgram, {"run", "collective", "--only", "collective=all_to_all,algorithm=ring", "-q"});
    CHECK(ring.exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(place.path() / "out"));
    const Ended alone =
        place.run(kProgram, {"run", "collective", "--sweep", "die.routers=1x1,1x2", "-q", "--no-figures"});
    REQUIRE_MESSAGE(alone.exit_code == 0, alone.err);
    const Json rows = results_at(place, "out/collective-sweep/results.json");
    CHECK(rows.at(0).at("status") == "skipped");
    CHECK(has(rows.at(0).at("reason"), "scale die has one rank"));
    CHECK(rows.at(1).at("status") == "ok");
  }

  TEST_CASE("35.9 --where leaves out machines that contradict themselves as it does others") {
    const Workplace place;
    const Ended none = place.run(kProgram, {"run", "gemm", "--only", "m=64,k=128,n=128,variant=ref_ref", "--sweep",
                                            "die.hbm.bandwidth=128,256 GB/s", "--sweep",
                                            "pe.tcm.capacity=64 KiB,16 MiB", "--where", "die.hbm.bandwidth > 1 TB/s"});
    CHECK(none.exit_code == 2);
    CHECK(has(none.err, "--where: no machine of --sweep meets it"));
  }

  TEST_CASE("35.11 sizes, variants and keys of the machine are axes of one table") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"run", "gemm", "--only", "k=64,n=32", "--sweep", "m=32,64", "--sweep",
                                             "variant=ref_ref,load_ref", "--sweep", "pe.stream_depth=1,4", "-q"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = results_at(place, "out/gemm-sweep/results.json");
    REQUIRE(rows.size() == 8);
    CHECK(rows.at(7).at("point").at("pe.stream_depth") == "4");
    CHECK(rows.at(7).at("point").at("m") == 64);
    CHECK(rows.at(7).at("point").at("variant") == "load_ref");
  }

  TEST_CASE("35.11 a search chooses among sizes and mappings, and other points are not mixed in one folder") {
    const Workplace place;
    const Ended search =
        place.run(kProgram, {"search", "gemm", "--only", "m=128,k=128,n=128", "--vary", "variant=ref_ref,load_load",
                             "--vary", "die.hbm.bandwidth=128,256 GB/s", "--minimise", "time_ns"});
    REQUIRE_MESSAGE(search.exit_code == 0, search.err);
    CHECK(has(search.out, "load_load"));
    const auto run = [&](const std::string& points, const std::vector<std::string>& more = {}) {
      std::vector<std::string> command{"run", "gemm", "--only", points, "-q", "--no-figures"};
      command.insert(command.end(), more.begin(), more.end());
      return place.run(kProgram, command);
    };
    CHECK(run("m=32,k=64,n=32,variant=ref_ref").exit_code == 0);
    const Ended other = run("m=64,k=64,n=32,variant=ref_ref");
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "has results of another experiment: rows of other points"));
    CHECK(run("m=64,k=64,n=32,variant=ref_ref", {"--replace"}).exit_code == 0);
    const Ended what_if =
        place.run(kProgram, {"whatif", "bench", "gemm", "--only", "m=32,k=64,n=32,variant=ref_ref", "--stairs", "1"});
    CHECK_MESSAGE(what_if.exit_code == 0, what_if.err);
    CHECK(has(run("m=32,k=64,n=32,variant=ref").err,
              "--only variant=ref: variant: unknown variant 'ref'. There are: auto, a mapping such as "));
  }
}
