// `kernbench run universal-gemm` and `kernbench sim universal-gemm --plan`.
#include <doctest/doctest.h>

#include <fstream>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;

namespace {

Json rows_of(const Workplace& place) {
  std::ifstream in(place.path() / "out/universal-gemm/results.json");
  REQUIRE(in.good());
  return Json::parse(in).at("rows");
}

}  // namespace

TEST_SUITE("ADR-0044") {
  TEST_CASE("44.11 every method, partition and replication of a shape of one's own, verified") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "universal-gemm", "--only", "shape=96x40x72", "--verify", "--no-figures", "-q",
                             "--set", "pe.mac.tile.m=16", "--set", "pe.mac.tile.k=16", "--set", "pe.mac.tile.n=16"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = rows_of(place);
    CHECK(rows.size() == 24);
    for (const Json& row : rows) {
      CHECK(row.at("status") == "ok");
      CHECK(row.at("flags") == Json::array({"verified"}));
      const Json& metrics = row.at("metrics");
      CHECK(metrics.at("time_ns") >= metrics.at("bound_ns"));
      CHECK(metrics.at("world_size") == 4);
      CHECK(metrics.at("tflops").get<double>() ==
            doctest::Approx(2.0 * 96 * 40 * 72 / (1000 * metrics.at("time_ns").get<double>())));
    }
  }

  TEST_CASE("44.11 a name for the suite's 24 shapes, which are 432 cases, and for two small ones") {
    const Workplace place;
    const auto planned = [&](const std::string& only) {
      return place.run(kProgram, {"run", "universal-gemm", "--dry-run", "--only", only}).out;
    };
    const std::string stationary = "method=stationary_a,method=stationary_b,method=stationary_c";
    CHECK(has(planned("shape=suite," + stationary), "432 points"));
    CHECK(has(planned("shape=smoke,method=auto"), "12 points"));
    CHECK(has(place.run(kProgram, {"run", "universal-gemm", "--only", "shape=suit"}).err,
              "--only shape=suit: shape: expected MxKxN, suite or smoke, got 'suit'"));
  }

  TEST_CASE("44.11 dtensor where it is asked for, verified, with what it cut") {
    const Workplace place;
    const Ended ended = place.run(
        kProgram, {"run", "universal-gemm", "--only", "shape=96x40x72,method=dtensor", "--verify", "--no-figures", "-q",
                   "--set", "pe.mac.tile.m=16", "--set", "pe.mac.tile.k=16", "--set", "pe.mac.tile.n=16"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = rows_of(place);
    CHECK(rows.size() == 6);
    for (const Json& row : rows) {
      CHECK(row.at("status") == "ok");
      CHECK(row.at("flags") == Json::array({"verified"}));
      const Json& point = row.at("point");
      CHECK(point.at("method") == "dtensor");
      const bool sums = point.at("partitions") == "column,row,row";
      const std::string devices = point.at("replication") == 2 ? "2" : "4";
      if (sums) CHECK(row.at("metrics").at("cuts") == "k" + devices);
    }
    const Ended wrong = place.run(kProgram, {"run", "universal-gemm", "--only", "method=dtensr", "--out", "elsewhere"});
    CHECK(wrong.exit_code == 2);
    CHECK(has(wrong.err, "did you mean 'dtensor'?"));
  }

  TEST_CASE(
      "44.13 energy where the machine file has it: operations of the run times their energies, and static power") {
    const auto row = [](const std::vector<std::string>& energies) {
      const Workplace place;
      std::vector<std::string> arguments{
          "run",          "universal-gemm",
          "--only",       "shape=512x256x512,method=stationary_c,partitions=row-column-row,replication=1",
          "--no-figures", "-q"};
      for (const std::string& energy : energies) arguments.insert(arguments.end(), {"--set", "energy." + energy});
      const Ended ended = place.run(kProgram, arguments);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return rows_of(place).at(0).at("metrics");
    };
    const Json none = row({});
    for (const auto& metric : none.items()) CHECK_MESSAGE(!metric.key().starts_with("energy"), metric.key());
    CHECK_FALSE(none.contains("avg_power_w"));
    const Json missing = row({"mac.bf16=2 pJ"});
    CHECK(missing.at("energy_mac_pj").get<double>() == 2.0 * 512 * 256 * 512);
    CHECK(missing.at("energy_missing") == "energy.registers");
    CHECK_FALSE(missing.contains("energy_pj"));
    const Json all = row({"mac.bf16=2 pJ", "vector=0 pJ", "registers=0 pJ/B", "tcm=0 pJ/B", "hbm=3 pJ/B",
                          "router=0 pJ/B", "die_to_die=0 pJ/B", "package_link=5 pJ/B", "static=1 W"});
    CHECK(all.at("time_ns") == none.at("time_ns"));
    CHECK(all.at("energy_mac_pj") == missing.at("energy_mac_pj"));
    // From each package to the switch, and from there.
    CHECK(all.at("energy_package_link_pj").get<double>() == 2 * 5 * all.at("received_bytes_total").get<double>());
    const double static_pj = 4 * 8 * 1000 * all.at("time_ns").get<double>();
    CHECK(all.at("energy_static_pj").get<double>() == doctest::Approx(static_pj));
    double sum = 0;
    for (const char* part : {"mac", "hbm", "package_link", "static"}) {
      sum += all.at("energy_" + std::string(part) + "_pj").get<double>();
    }
    CHECK(all.at("energy_pj").get<double>() == doctest::Approx(sum));
    CHECK(all.at("tflops_per_watt").get<double>() ==
          doctest::Approx(all.at("tflops").get<double>() / all.at("avg_power_w").get<double>()));
  }

  TEST_CASE("44.1 on the packages of any machine; what cannot be is refused before a run") {
    const Workplace place;
    const Ended torus = place.run(
        kProgram,
        {"run", "universal-gemm", "--topology", kernbench::source_dir() + "/topology/torus_8.yaml", "--only",
         "shape=256x256x256,replication=4,method=stationary_c,partitions=block-block-block", "--no-figures", "-q"});
    REQUIRE_MESSAGE(torus.exit_code == 0, torus.err);
    CHECK(rows_of(place).at(0).at("metrics").at("world_size") == 8);
    const auto refused = [&place](const std::string& only) {
      const Ended ended = place.run(kProgram, {"run", "universal-gemm", "--only", only, "--out", "elsewhere"});
      CHECK(ended.exit_code == 2);
      CHECK(!std::filesystem::exists(place.path() / "elsewhere"));
      return ended.err;
    };
    const Ended odd = place.run(kProgram, {"run", "universal-gemm", "--only", "shape=64x64x64,method=stationary_c",
                                           "--set", "system.packages.columns=3", "--no-figures", "-q", "--out", "odd"});
    CHECK(odd.exit_code == 0);
    std::ifstream in(place.path() / "odd/universal-gemm/results.json");
    const Json odd_results = Json::parse(in);
    for (const Json& row : odd_results.at("rows")) {
      const bool even = row.at("point").at("replication") == 2;
      CHECK(row.at("status") == (even ? "skipped" : "ok"));
      if (even) CHECK(row.at("reason") == "replication of A is 2: expected a divisor of the 3 devices");
    }
    CHECK(has(refused("shape=64x64"), "expected MxKxN, suite or smoke, got '64x64'"));
    CHECK(has(refused("partitions=row-colum-row"), "did you mean 'column'?"));
    CHECK(has(refused("partitions=row-row"), "expected the partitions of A, B and C, as in row-column-row"));
    CHECK(has(refused("placement=rows-replicate-rows"),
              "expected rows, columns or blocks of each, or even, got 'rows-replicate-rows'"));
    CHECK(has(refused("prefetch=0"), "expected a whole number from 1 to 64, got '0'"));
  }
}

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.4 a plan as a document: operations, commands and bytes") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "universal-gemm", "--plan", "--m", "1000", "--k", "520", "--n",
                                             "777", "--devices", "4", "--partitions", "row,column,row", "--json"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json plan = Json::parse(ended.out);
    CHECK(plan.at("method") == "stationary_c");
    std::int64_t macs = 0;
    for (const Json& device : plan.at("devices")) {
      for (const Json& operation : device.at("operations")) {
        const auto size = [&operation](const char* name) {
          return operation.at(name).at(1).get<std::int64_t>() - operation.at(name).at(0).get<std::int64_t>();
        };
        macs += size("m") * size("k") * size("n");
      }
      CHECK(device.at("received_bytes") == 2 * 520 * (777 - (device == plan.at("devices").back() ? 192 : 195)));
    }
    CHECK(macs == 1000LL * 520 * 777);
    for (const Json& command : plan.at("commands")) {
      for (const Json& wait : command.at("waits")) CHECK(wait < plan.at("commands").size());
    }
    const Ended wrong = place.run(
        kProgram, {"sim", "universal-gemm", "--plan", "--m", "8", "--k", "8", "--n", "8", "--replication", "2,x,1"});
    CHECK(wrong.exit_code == 2);
    CHECK(has(wrong.err, "--replication '2,x,1': "));
  }
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.10 a plan of as many devices as are named, or as the machine has, and of one case") {
    const auto planned = [](const std::vector<std::string>& more) {
      std::vector<std::string> words{"sim", "universal-gemm", "--plan", "--m", "4096", "--k", "4096", "--n", "4096"};
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    const Workplace place;
    const Ended eight =
        place.run(kProgram, planned({"--devices", "8", "--partitions", "row,column,row", "--replication", "2,1,2"}));
    CHECK(has(eight.out, "stationary_c over 8 devices\n144 commands: --json has them all\n"));
    CHECK_MESSAGE(has(eight.out, "     7           8  8,589,934,592    31,457,280  31,457,280\n"), eight.out);
    const std::string four = place.run(kProgram, planned({})).out;
    CHECK(has(four, "GEMM, M x K x N = 4096 x 4096 x 4096, stationary_c over 4 devices"));
    const std::string machine = kernbench::source_dir() + "/topology/h200_x4.yaml";
    CHECK(place.run(kProgram, planned({"--topology", machine})).out == four);
    CHECK(has(kernbench::refusal(planned({"--topology", machine, "--gpus", "8"})), "at most nvlink.gpus, 4 on"));
    CHECK(has(kernbench::refusal(planned({"--methods", "auto,dtensor"})),
              "--methods: expected one beside --plan, got auto dtensor"));
    CHECK(has(kernbench::refusal(planned({"--pace", "again"})), "excludes"));
    CHECK(has(kernbench::refusal(planned({"--csv"})), "--csv: a plan is no table: expected --json"));
    CHECK(has(kernbench::refusal({"sim", "universal-gemm", "--m", "8", "--k", "8", "--n", "8", "--prefetch", "3"}),
              "--plan"));
  }
}
