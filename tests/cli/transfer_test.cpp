// kernbench sim transfer: the workload of named places (adr/0021).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::Json;
using kernbench::Results;
using Arguments = std::vector<std::string>;

Results rows_of(const Workplace& place, Arguments arguments) {
  arguments.emplace_back("--json");
  const Ended ended = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return kernbench::parse_results(ended.out, "stdout");
}

void check_refused(const Workplace& place, Arguments arguments, const std::string& words) {
  arguments.insert(arguments.begin(), {"sim", "transfer"});
  const Ended ended = place.run(kProgram, arguments);
  CHECK(ended.exit_code == 2);
  CHECK_MESSAGE(has(ended.err, words), ended.err);
}

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.15 a transfer between named places is the probe between them") {
    const Workplace place;
    const Results probes =
        rows_of(place, {"probe", "--only", "own-hbm-*,die-near-read,sram-*,host-to-device,contend-3"});
    const std::vector<Arguments> asked{{},
                                       {"--direction", "write"},
                                       {"--target", "0.0.1"},
                                       {"--target", "0.0"},
                                       {"--target", "0.0", "--direction", "write"},
                                       {"--initiator", "host", "--direction", "write"},
                                       {"--initiator", "0.0.0-0.0.2"}};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Arguments arguments{"sim", "transfer"};
      arguments.insert(arguments.end(), asked[i].begin(), asked[i].end());
      const Results own = rows_of(place, arguments);
      REQUIRE(own.rows.size() == 1);
      CAPTURE(probes.rows.at(i).point.dump());
      const Json& of_probe = probes.rows.at(i).metrics.json();
      for (auto metric = of_probe.begin(); metric != of_probe.end(); ++metric) {
        CHECK_MESSAGE(own.rows[0].metrics.json().at(metric.key()) == metric.value(), metric.key());
      }
    }
  }

  TEST_CASE("21.15 less than a packet is one of as many bursts") {
    const Workplace place;
    const auto time = [&place](const std::string& packet, const std::string& bytes) {
      return rows_of(place, {"sim", "transfer", "--packet", packet, "--sizes", bytes}).rows.at(0).metrics.json();
    };
    CHECK(time("16 KiB", "4 KiB") == time("4 KiB", "4 KiB"));
    check_refused(place, {"--packet", "16 KiB", "--sizes", "100 B"}, "expected a multiple of simulation.packet_bytes");
  }

  TEST_CASE("21.15 several are limited by what has the largest term, an HBM that is written to being none") {
    const Workplace place;
    const auto limit = [&place](const Arguments& more) {
      Arguments arguments{"sim", "transfer", "--initiator", "0.0.0-0.0.3"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return rows_of(place, arguments).rows.at(0).metrics.json().at("limited_by");
    };
    CHECK(limit({"--direction", "read"}) == "package0.die0.hbm0 -> package0.die0.router0");
    CHECK(limit({"--direction", "write"}) == "package0.die0.router0 -> package0.die0.hbm0");
    CHECK(limit({"--direction", "write", "--target", "0.0"}) == "package0.die0.sram");
    CHECK(limit({"--set", "pe.tcm.write_bandwidth=16 GB/s"}) == "the slowest transfer alone");
    // A memory that is slower than its link limits reads, but no writes, which it acknowledges first.
    const std::string slow = "die.hbm.bandwidth=64 GB/s";
    CHECK(limit({"--direction", "read", "--set", slow}) == "package0.die0.hbm0");
    CHECK(limit({"--direction", "write", "--set", slow}) == "package0.die0.router0 -> package0.die0.hbm0");
  }

  TEST_CASE("21.15 places that are not there are refused by name") {
    const Workplace place;
    check_refused(place, {"--target", "0.0.99"}, "--target '0.0.99'");
    check_refused(place, {"--target", "die"}, "expected one");
    check_refused(place, {"--initiator", "9.0.0"}, "--initiator '9.0.0'");
    check_refused(place, {"--sizes", "300B"}, "expected a multiple of simulation.packet_bytes");
    check_refused(place, {"--verify"}, "a transfer carries no values");
    check_refused(place, {"--target", "0.0", "--topology", kernbench::source_dir() + "/topology/edge_npu.yaml"},
                  "machine edge-npu has no die.sram");
  }

  TEST_CASE("21.15 a what-if of a transfer names the keys of its way") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"whatif", "transfer", "--stairs", "0", "--sizes", "64KiB"});
    CHECK(ended.exit_code == 0);
    CHECK(has(ended.out, "die.hbm.read_latency"));
  }
}

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.23 a transfer past its time limit has not ended") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"sim", "transfer", "--time-limit", "1 ns"});
    CHECK(ended.exit_code == 1);
    CHECK_MESSAGE(has(ended.err, "a transfer has not ended"), ended.err);
    CHECK_FALSE(has(ended.err, "all work is done"));
  }
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.5 of a bench's own values those that the machine cannot do are left out, and said") {
    const Workplace place;
    const std::string one_pe = kernbench::source_dir() + "/topology/edge_npu.yaml";
    const Ended ended = place.run(kProgram, {"run", "transfer", "--topology", one_pe, "--no-figures"});
    CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK_MESSAGE(has(ended.err, "left out, such as"), ended.err);
    CHECK(has(ended.out, "64 KiB"));
    const Ended asked = place.run(kProgram, {"run", "transfer", "--topology", one_pe, "--only", "target=0.0.1"});
    CHECK(asked.exit_code == 2);
    CHECK_MESSAGE(has(asked.err, "--target '0.0.1'"), asked.err);
  }
}
