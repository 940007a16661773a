// The flit mesh: the same cycles as its rules followed with plain loops, and closed forms where nobody is in the way.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/random.hpp"
#include "tests/hw/flit_reference.hpp"
#include "tests/support/listed_traffic.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

int any(int least, int most) { return *rc::gen::inRange(least, most + 1); }

FlitMeshConfig any_mesh() {
  FlitMeshConfig config;
  config.rows = any(1, 4);
  config.columns = any(1, 4);
  config.virtual_channels = *rc::gen::element(1, 2, 3, 4, 8, 12, 13, 16);
  config.buffer_flits = any(1, 9);
  config.router_cycles = any(3, 5);
  config.link_cycles = any(1, 3);
  config.credit_cycles = any(0, 2);
  config.packet_flits = any(1, 10);
  return config;
}

std::vector<std::vector<FlitPacket>> any_packets(const FlitMeshConfig& config, Cycles window) {
  const int nodes = config.rows * config.columns;
  Random random(static_cast<std::uint64_t>(any(0, 1'000'000)));
  const std::int64_t gap = std::int64_t{any(1, 8)} * config.packet_flits;
  const bool hot = any(0, 3) == 0;
  std::vector<std::vector<FlitPacket>> packets(static_cast<std::size_t>(nodes));
  for (std::int32_t node = 0; node < nodes; ++node) {
    for (Cycles cycle = random.below(gap); cycle < window; cycle += 1 + random.below(2 * gap)) {
      const bool to_hot = hot && random.below(2) == 0;
      packets[static_cast<std::size_t>(node)].push_back(
          {node, to_hot ? 0 : static_cast<std::int32_t>(random.below(nodes)), cycle});
    }
  }
  return packets;
}

/// Random packets over the mesh, and the same over one that follows the rules with plain loops.
void check_same(const FlitMeshConfig& config) {
  const auto packets = any_packets(config, any(1, 100));
  ListedTraffic fast(packets, 600);
  run_flits(config, fast);
  ListedTraffic slow(packets, 600);
  run_flit_reference(config, slow, 600);
  RC_ASSERT(fast.arrivals == slow.arrivals);
  RC_ASSERT(fast.packets_delivered == slow.packets_delivered);
}

/// Latency of the flits of one packet alone in a mesh.
std::vector<Cycles> alone(const FlitMeshConfig& config, std::int32_t from, std::int32_t to) {
  std::vector<std::vector<FlitPacket>> packets(static_cast<std::size_t>(config.rows * config.columns));
  packets[static_cast<std::size_t>(from)].push_back({from, to, 0});
  ListedTraffic traffic(packets, 10'000);
  run_flits(config, traffic);
  return traffic.arrivals[{from, 0}];
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.14 a node sends as the rules followed with plain loops") {
    CHECK(rc::check("one router", [] {
      FlitMeshConfig config = any_mesh();
      config.rows = 1;
      config.columns = any(1, 2);
      check_same(config);
    }));
  }

  TEST_CASE("17.15 virtual channels are given as by the rules followed with plain loops") {
    CHECK(rc::check("packets of one flit", [] {
      FlitMeshConfig config = any_mesh();
      config.packet_flits = 1;
      config.buffer_flits = any(4, 9);
      check_same(config);
    }));
  }

  TEST_CASE("17.16 the switch is given as by the rules followed with plain loops") {
    CHECK(rc::check("long packets on many virtual channels", [] {
      FlitMeshConfig config = any_mesh();
      config.packet_flits = any(5, 20);
      config.virtual_channels = any(4, 8);
      check_same(config);
    }));
  }

  TEST_CASE("17.17 credits come back as by the rules followed with plain loops") {
    CHECK(rc::check("small buffers, long links", [] {
      FlitMeshConfig config = any_mesh();
      config.buffer_flits = any(1, 3);
      config.link_cycles = any(1, 6);
      config.credit_cycles = any(0, 6);
      check_same(config);
    }));
  }

  TEST_CASE("17.20 any traffic takes the cycles of the rules followed with plain loops") {
    CHECK(rc::check("same arrivals", [] { check_same(any_mesh()); }));
  }

  TEST_CASE("17.19 a packet alone takes 4 H + 2 + flits - 1 cycles with routers of 3 cycles and links of 1") {
    const FlitMeshConfig config{.rows = 4, .columns = 5, .packet_flits = 3};
    CHECK(alone(config, 0, 0) == std::vector<Cycles>{6, 7, 8});
    CHECK(alone(config, 0, 1) == std::vector<Cycles>{10, 11, 12});
    CHECK(alone(config, 0, 19) == std::vector<Cycles>{34, 35, 36});  // 8 routers
    CHECK(alone(config, 19, 0) == std::vector<Cycles>{34, 35, 36});
  }

  TEST_CASE("17.19 each router adds router and link cycles; links of nodes take one cycle") {
    CHECK(rc::check("zero-load latency", [] {
      FlitMeshConfig config = any_mesh();
      config.buffer_flits = 4 + 2 * config.link_cycles + config.credit_cycles + config.router_cycles;
      const int nodes = config.rows * config.columns;
      const int from = any(0, nodes - 1);
      const int to = any(0, nodes - 1);
      const int routers = 1 + std::abs(from / config.columns - to / config.columns) +
                          std::abs(from % config.columns - to % config.columns);
      const Cycles head = routers * (config.router_cycles + config.link_cycles) + 3 - config.link_cycles;
      std::vector<Cycles> expected;
      expected.reserve(static_cast<std::size_t>(config.packet_flits));
      for (int flit = 0; flit < config.packet_flits; ++flit) expected.push_back(head + flit);
      RC_ASSERT(alone(config, from, to) == expected);
    }));
  }

  TEST_CASE("17.13 what cannot be built is refused with what is expected") {
    const auto message = [](const FlitMeshConfig& config) -> std::string {
      try {
        check_flit_mesh(config);
      } catch (const ConfigError& error) {
        return error.what();
      }
      return "";
    };
    CHECK(message({}).empty());
    CHECK(message({.rows = 0}) == "rows of the mesh: expected 1 to 1024, got 0");
    CHECK(message({.virtual_channels = 26}) == "virtual channels: expected 1 to 25, got 26");
    CHECK(message({.virtual_channels = 25}).empty());
    CHECK(message({.buffer_flits = 0}) == "flits of a buffer: expected 1 to 4096, got 0");
    CHECK(message({.router_cycles = 2}) == "router cycles: expected 3 to 1000, got 2");
    CHECK(message({.link_cycles = 0}) == "link cycles: expected 1 to 1000, got 0");
    CHECK(message({.packet_flits = 0}) == "flits of a packet: expected 1 to 100000, got 0");
  }
}
