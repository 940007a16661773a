// `kernbench sim noc` from outside: tables, documents, what it refuses.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/cli/program.hpp"

namespace {

std::vector<std::string> noc(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"sim", "noc", "--warm-up", "200", "--measure", "2000"};
  if (more.front() != "--mesh") arguments.insert(arguments.end(), {"--mesh", "4x4"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void check_fails(const std::vector<std::string>& more, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(kProgram, noc(more));
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(has(ended.err, message), ended.err);
}

kernbench::Results document(const std::string& text) { return kernbench::parse_results(text, "out"); }

}  // namespace

TEST_CASE("sim noc prints a row for every rate and says what is saturated") {
  const Workplace place;
  const Ended ended = place.run(kProgram, noc({"--rate", "0.1:0.2:0.05,1", "--packet-flits", "2"}));
  CHECK(ended.exit_code == 0);
  CHECK(ended.err.empty());
  CHECK(
      has(ended.out, "4x4 mesh, uniform traffic, 2 flits a packet\n4 virtual channels of 8 flits, 3 router + 1 link"));
  for (const char* rate : {"\n 0.1 ", "\n0.15 ", "\n 0.2 ", "\n   1 "}) CHECK_MESSAGE(has(ended.out, rate), ended.out);
  CHECK(has(ended.out.substr(ended.out.find("\n   1 ")), "saturated"));
  CHECK_FALSE(has(ended.out.substr(0, ended.out.find("\n   1 ")), "saturated"));
}

TEST_CASE("sim noc runs a rate that is named twice once") {
  const Workplace place;
  const Ended ended = place.run(kProgram, noc({"--rate", "0.1,0.05:0.15:0.05", "--json"}));
  CHECK(document(ended.out).rows.size() == 3);
}

TEST_CASE("sim noc refuses hot nodes of traffic that has none") {
  check_fails({"--hotspot-nodes", "3"}, "--hotspot-nodes needs --traffic hotspot");
}

TEST_CASE("sim noc has no latency of packets that there are not") {
  const Workplace place;
  const Ended ended = place.run(kProgram, noc({"--packet-flits", "100000", "--rate", "0.1"}));
  CHECK(ended.exit_code == 0);
  CHECK_MESSAGE(has(ended.out, "no packet of the window"), ended.out);
  CHECK_FALSE(has(ended.out, " 0.00 "));
}

TEST_CASE("sim noc --json prints a results document, the same one for any number of jobs") {
  const Workplace place;
  const Ended one = place.run(kProgram, noc({"--rate", "0.1,0.2,1", "--jobs", "1", "--json"}));
  const Ended three = place.run(kProgram, noc({"--rate", "0.1,0.2,1", "--jobs", "3", "--json"}));
  CHECK(one.exit_code == 0);
  CHECK(one.out == three.out);
  const kernbench::Results results = document(one.out);
  CHECK(results.bench == "sim-noc");
  CHECK(results.source.kind == "sim");
  REQUIRE(results.rows.size() == 3);
  CHECK(results.rows[1].point.at("rate") == 0.2);
  CHECK(results.rows[1].point.at("mesh") == "4x4");
  CHECK(results.rows[1].metrics.json().at("latency_cycles") > 4 * 3.5);  // 3.5 routers on average, and waiting
  CHECK(results.rows[1].metrics.json().at("undelivered_packets") == 0);
  CHECK(results.rows[1].flags.empty());
  CHECK(results.rows[2].flags == std::vector<std::string>{"saturated"});
}

TEST_CASE("sim noc --json FILE writes the document beside the table") {
  const Workplace place;
  const std::string file = (place.path() / "noc.json").string();
  const Ended ended = place.run(kProgram, noc({"--traffic", "hotspot", "--json", file}));
  CHECK(ended.exit_code == 0);
  CHECK(has(ended.out, "hotspot traffic"));
  const kernbench::Results results = document(kernbench::read_file(file));
  CHECK(results.rows.at(0).point.at("hotspot_nodes") == "10");  // the middle one
}

TEST_CASE("sim noc refuses what it cannot simulate, with what is expected") {
  check_fails({"--mesh", "4"}, "--mesh 4: expected rows x columns, each 1 to 1024, as 8x8");
  check_fails({"--mesh", "4x4x4"}, "--mesh 4x4x4: expected rows x columns");
  check_fails({"--mesh", "0x4"}, "--mesh 0x4: expected rows x columns, each 1 to 1024");
  check_fails({"--mesh", "4x5", "--traffic", "transpose"}, "expected a mesh with as many rows as columns, got 4x5");
  check_fails(
      {"--traffic", "tornado"},
      "--traffic: unknown traffic pattern 'tornado'. There are: uniform, transpose, hotspot, neighbour, multicast");
  check_fails({"--rate", "0"}, "--rate 0: expected flits per node and cycle, from 1e-10 to 1");
  check_fails({"--rate", "0.1,,0.2"}, "--rate 0.1,,0.2: expected a value before and after each ','");
  check_fails({"--rate", "0.1:0.2"}, "or start:stop:step");
  check_fails({"--rate", "0.2:0.1:0.05"}, "or start:stop:step");
  check_fails({"--router-cycles", "2"}, "--router-cycles: expected a whole number from 3 to 1000, got '2'");
  check_fails({"--virtual-channels", "26"}, "--virtual-channels: expected a whole number from 1 to 25, got '26'");
  check_fails({"--traffic", "hotspot", "--hotspot-nodes", "3,16"},
              "expected nodes from 0 to 15 of the 4x4 mesh, got 16");
}

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.25 sim noc --network packets says what it does not have alike, and refuses what it does not have") {
    const Workplace place;
    const Ended whole = place.run(kProgram, noc({"--network", "packets", "--packet-flits", "4"}));
    CHECK(whole.exit_code == 0);
    CHECK_MESSAGE(has(whole.out, "seed 1, packet routers\n"), whole.out);
    const Ended small = place.run(kProgram, noc({"--network", "packets", "--packet-flits", "5", "--wide"}));
    CHECK_MESSAGE(has(small.out, "buffers hold two packets all the same, 10 flits"), small.out);
    check_fails({"--network", "packets", "--credit-cycles", "1"}, "credit cycles: expected 0, since packet routers");
    check_fails({"--network", "cells"}, "--network: unknown network 'cells'. There are: flits, packets");
  }
}

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.43 sim noc --traffic multicast sends to groups, over either network") {
    const Workplace place;
    for (const char* network : {"flits", "packets"}) {
      const auto row_of = [&](const char* group) {
        const Ended ended = place.run(kProgram, noc({"--traffic", "multicast", "--group", group, "--network", network,
                                                     "--rate", "0.02", "--json"}));
        CHECK_MESSAGE(ended.exit_code == 0, ended.err);
        return document(ended.out).rows.at(0);
      };
      const auto receivers_of_a_packet = [](const kernbench::Row& row) {
        return row.metrics.json().at("accepted_flits_per_node_cycle").get<double>() /
               row.metrics.json().at("accepted_as_offered_flits_per_node_cycle").get<double>();
      };
      struct Group {
        const char* text;
        const char* named;
        int receivers;
      };
      for (const Group& group :
           {Group{"row", "1x4", 3}, Group{"column", "4x1", 3}, Group{"all", "4x4", 15}, Group{"2x4", "2x4", 7}}) {
        const kernbench::Row row = row_of(group.text);
        CHECK(row.point.at("group") == group.named);
        CHECK(std::abs(receivers_of_a_packet(row) - group.receivers) < 1e-6);
        CHECK(row.metrics.json().at("latency_last_cycles") > row.metrics.json().at("latency_cycles"));
      }
      CHECK(row_of("5,0").point.at("group") == "0,5");
    }
    const Ended table = place.run(kProgram, noc({"--traffic", "multicast", "--rate", "0.02"}));
    CHECK_MESSAGE(has(table.out, "4x4 mesh, multicast traffic in blocks of 1x4, 1 flit a packet"), table.out);
    CHECK_MESSAGE(has(table.out, " last "), table.out);
    CHECK_FALSE(has(place.run(kProgram, noc({"--rate", "0.02"})).out, "last"));
  }

  TEST_CASE("17.43 sim noc refuses groups that there are not, and buffers that are too small for packets for several") {
    check_fails({"--group", "row"}, "--group needs --traffic multicast");
    check_fails({"--traffic", "multicast", "--group", "rows"},
                "--group rows: expected row, column, all, blocks of rows x columns as 2x4, or nodes as 3,12,40");
    check_fails({"--traffic", "multicast", "--group", "0x4"},
                "--group 0x4: expected rows x columns, each 1 to 1024, as 8x8");
    check_fails({"--traffic", "multicast", "--group", "5x1"}, "expected groups of 1x1 to 4x4, got 5x1");
    check_fails({"--traffic", "multicast", "--group", "3,16"}, "expected nodes from 0 to 15, got 16");
    check_fails({"--traffic", "multicast", "--group", "3,3"}, "got 3 twice");
    check_fails({"--traffic", "multicast", "--group", "1x1"}, "which is alone in its group; a larger group");
    check_fails({"--traffic", "multicast", "--packet-flits", "9"},
                "flits of a buffer: expected at least the 9 of a packet");
    check_fails({"--traffic", "multicast", "--packet-flits", "9", "--network", "packets"},
                "a larger buffer or shorter");
  }
}

TEST_CASE("sim noc --json tells one network's rows from the other's") {
  const Workplace place;
  const kernbench::Results flits = document(place.run(kProgram, noc({"--rate", "0.2", "--json"})).out);
  const kernbench::Results packets =
      document(place.run(kProgram, noc({"--network", "packets", "--rate", "0.2", "--json"})).out);
  CHECK(flits.rows.at(0).point.at("network") == "flits");
  CHECK(packets.rows.at(0).point.at("network") == "packets");
  CHECK(packets.rows.at(0).metrics.json().at("packets") == flits.rows.at(0).metrics.json().at("packets"));
  CHECK(packets.rows.at(0).metrics.json().at("latency_cycles") < flits.rows.at(0).metrics.json().at("latency_cycles"));
  CHECK(packets.source.machine_sha256 != flits.source.machine_sha256);
}

TEST_CASE("sim noc --help teaches") {
  const Workplace place;
  const Ended ended = place.run(kProgram, {"sim", "noc", "--help"});
  CHECK(ended.exit_code == 0);
  for (const char* part : {"--mesh", "--network", "--traffic", "transpose", "multicast", "--group", "start:stop:step",
                           "saturated", "Examples:"}) {
    CHECK_MESSAGE(has(ended.out, part), part);
  }
}
