// kernbench sim traffic: random traffic between PEs of a machine (adr/0017).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::Json;
using kernbench::Results;
using Arguments = std::vector<std::string>;

const Arguments kShortWindow{"--warm-up", "200 ns", "--measure", "2 us"};

Ended traffic(const Workplace& place, Arguments arguments) {
  arguments.insert(arguments.begin(), {"sim", "traffic"});
  arguments.insert(arguments.end(), kShortWindow.begin(), kShortWindow.end());
  return place.run(kProgram, arguments);
}

Results traffic_rows(const Workplace& place, Arguments arguments) {
  arguments.emplace_back("--json");
  const Ended ended = traffic(place, std::move(arguments));
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return kernbench::parse_results(ended.out, "stdout");
}

void check_traffic_refused(const Workplace& place, const Arguments& arguments, const std::string& words) {
  const Ended ended = traffic(place, arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(has(ended.err, words), ended.err);
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.36 rates in a table: from which on it is too much, and what limits it then") {
    const Workplace place;
    const Arguments rates{"--pes", "package", "--rate", "4 GB/s,96 GB/s"};
    const Results results = traffic_rows(place, rates);
    REQUIRE(results.rows.size() == 2);
    const Json& little = results.rows[0].metrics.json();
    const Json& much = results.rows[1].metrics.json();
    CHECK(results.rows[0].point.at("rate_bytes_per_s") == 4'000'000'000);
    CHECK(little.at("saturated") == "no");
    CHECK(little.at("limited_by") == "latency");
    CHECK(little.at("load") == 4.0 / 64);
    CHECK(much.at("saturated") == "yes");
    CHECK(much.at("limited_by") == "package.die_to_die.bandwidth");
    for (const Json& row : {little, much}) {
      CHECK(row.at("saturates_at_gbs") == 64);
      CHECK(row.at("zero_load_ns") <= row.at("time_ns"));
      CHECK(row.at("latency_p50_ns") <= row.at("latency_p99_ns"));
      CHECK(row.at("latency_p99_ns") <= row.at("latency_max_ns"));
      CHECK(row.at("link_util_max") <= 1);
    }
    CHECK(much.at("accepted_gbs") < 0.98 * much.at("offered_gbs").get<double>());
    const Ended table = traffic(place, rates);
    for (const char* part : {"saturated", "limited by", "96 GB/s", "yes"}) CHECK_MESSAGE(has(table.out, part), part);
  }

  TEST_CASE("17.36 one rate, in full") {
    const Workplace place;
    const Ended ended = traffic(place, {"--rate", "32 GB/s", "--traffic", "hotspot", "--hot", "50"});
    CHECK(ended.exit_code == 0);
    for (const char* part :
         {"hotspot traffic of 32 GB/s from each of 8 PEs", "99 of 100", "GB/s a PE: ", "saturated", "limited by"}) {
      CHECK_MESSAGE(has(ended.out, part), ended.out);
    }
  }

  TEST_CASE("17.32 the same seed is the same traffic, another one another") {
    const Workplace place;
    const Results all = traffic_rows(place, {"--seed", "1,2"});
    REQUIRE(all.rows.size() == 2);
    CHECK_FALSE(all.rows[0].point.contains("seed"));
    CHECK(all.rows[1].point.at("seed") == 2);
    CHECK(all.rows[0].metrics.json() != all.rows[1].metrics.json());
    CHECK(traffic_rows(place, {}).rows[0].metrics.json() == all.rows[0].metrics.json());
  }

  TEST_CASE("17.32 what there cannot be is refused, with what is expected") {
    const Workplace place;
    check_traffic_refused(place, {"--pes", "0.0.0"}, "--pes '0.0.0': expected two PEs or more");
    check_traffic_refused(place, {"--pes", "9.0.0"}, "--pes '9.0.0': expected die, package, system");
    check_traffic_refused(place, {"--rate", "300 GB/s"}, "--rate 300 GB/s: expected more than 0 and at most 256 GB/s");
    check_traffic_refused(place, {"--rate", "0 GB/s"}, "expected more than 0");
    check_traffic_refused(place, {"--traffic", "transpose"}, "expected a mesh with as many rows as columns, got 2x4");
    check_traffic_refused(place, {"--traffic", "tornado"}, "unknown traffic pattern 'tornado'");
    check_traffic_refused(place, {"--size", "300B"}, "--size 300 B: expected from 1 B to 256 B");
    check_traffic_refused(place, {"--hot", "20"}, "--hot 20 needs --traffic hotspot, got uniform");
    check_traffic_refused(place, {"--rate", "1 B/s"}, "no PE creates a message in so short a time");
    check_traffic_refused(place, {"--verify"}, "traffic carries no values");
    check_traffic_refused(place, {"--topology", kernbench::source_dir() + "/topology/h200.yaml"},
                          "expected a machine of PEs");
    const Ended window = place.run(kProgram, {"sim", "traffic", "--measure", "0 ns"});
    CHECK(window.exit_code == 2);
    CHECK_MESSAGE(has(window.err, "--measure 0 ps: expected from 1 ns"), window.err);
  }

  TEST_CASE("17.34 a what-if of traffic names the link that is full, a bench and a file of points run it") {
    const Workplace place;
    Arguments asked{"whatif", "traffic", "--stairs", "0", "--rate", "200 GB/s"};
    asked.insert(asked.end(), kShortWindow.begin(), kShortWindow.end());
    const Ended changed = place.run(kProgram, asked);
    CHECK(changed.exit_code == 0);
    CHECK_MESSAGE(has(changed.out, "die.router.link_bandwidth"), changed.out);
    const std::string points = (place.path() / "points.csv").string();
    kernbench::write_file(points, "over,traffic,rate,measure\ndie,neighbour,16 GB/s,1 us\ndie,hotspot,32 GB/s,1 us\n");
    const Ended run = place.run(kProgram, {"run", "traffic", "--points", points});
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    CHECK_MESSAGE(has(run.out, "hotspot"), run.out);
    const Ended plan = place.run(kProgram, {"sim", "traffic", "--plan"});
    CHECK_MESSAGE(has(plan.out, "Nothing was simulated"), plan.out);
  }
}

TEST_SUITE("ADR-0063") {
  TEST_CASE("63.3 the page of one point begins with what its report says first") {
    const Workplace place;
    REQUIRE(traffic(place, {"--out", "page"}).exit_code == 0);
    CHECK(has(kernbench::read_file(place.path() / "page/index.html"), "latency 6"));
    CHECK(has(kernbench::read_file(place.path() / "page/index.html"), "of it the way"));
  }
}
