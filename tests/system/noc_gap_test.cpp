// How far flit routers and packet routers are apart under load: the numbers that ADR-0017 states.
#include "tests/system/noc_gap.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "sim/base/errors.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

NocTest small(NocNetwork network) {
  NocTest test;
  test.network = network;
  test.mesh.rows = test.mesh.columns = 3;
  test.mesh.packet_flits = 2;
  test.rate = 0.2;
  test.warm_up = 500;
  test.measure = 3000;
  return test;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.24 both networks are offered the same packets") {
    const NocOutcome flits = noc_outcome(small(NocNetwork::kFlits));
    const NocOutcome packets = noc_outcome(small(NocNetwork::kPackets));
    CHECK(packets.packets == flits.packets);
    CHECK(packets.offered == flits.offered);
    CHECK(packets.hops == flits.hops);  // to the same places
    CHECK(packets.latency != flits.latency);
    CHECK(packets.undelivered == 0);
    CHECK_FALSE(packets.saturated);
    CHECK(std::abs(packets.accepted / flits.accepted - 1) < 0.001);
  }

  TEST_CASE("17.24 the machine is the mesh, in bytes and picoseconds") {
    const MachineSpec machine = mesh_machine({.rows = 2,
                                              .columns = 3,
                                              .virtual_channels = 5,
                                              .buffer_flits = 7,
                                              .router_cycles = 4,
                                              .link_cycles = 6,
                                              .packet_flits = 9});
    CHECK(machine.die.routers.rows == 2);
    CHECK(machine.die.routers.columns == 3);
    CHECK(machine.die.router.link.time_for(32) == from_ns(1));
    CHECK(machine.die.router.hop == from_ns(4));
    CHECK(machine.die.router.virtual_channels == 5);
    CHECK(machine.die.router.buffer == 7 * 32);
    CHECK(machine.die.wire.delay(machine.die.wire.pe_to_router_um) == from_ns(1));
    CHECK(machine.die.wire.delay(machine.die.wire.router_to_router_um) == from_ns(6));
  }

  TEST_CASE("17.25 cycles that a router takes to count a credit are refused over packets") {
    NocTest test = small(NocNetwork::kPackets);
    test.mesh.credit_cycles = 2;
    CHECK(error_of([&] { (void)checked(test); }) ==
          "credit cycles: expected 0, since packet routers count a credit at once, got 2; leave it out, or take the "
          "network of flits");
    test.network = NocNetwork::kFlits;
    CHECK_NOTHROW((void)checked(test));
  }

  TEST_CASE("17.25 packet routers begin with a packet as it comes, flit routers when it is first of its channel") {
    // One source, one channel: flit routers of 3 + 20 cycles take a packet of 2 flits every 23 - 2 + 2 cycles, at most.
    NocTest test = small(NocNetwork::kPackets);
    test.mesh.rows = test.mesh.columns = 1;
    test.mesh.virtual_channels = 1;
    test.mesh.router_cycles = 23;
    test.mesh.buffer_flits = 64;
    test.rate = 0.5;
    CHECK(noc_outcome(test).accepted > 0.49);
    test.network = NocNetwork::kFlits;
    CHECK(std::abs(noc_outcome(test).accepted - 2.0 / 23) < 0.001);
  }

  TEST_CASE("17.25 a buffer that holds less than two packets counts as two over packets") {
    NocTest test = small(NocNetwork::kPackets);
    test.mesh.packet_flits = 8;
    test.rate = 0.6;
    test.mesh.buffer_flits = 16;
    const double two = noc_outcome(test).latency;
    test.mesh.buffer_flits = 1;
    CHECK(noc_outcome(test).latency == two);
    test.mesh.buffer_flits = 32;
    CHECK(noc_outcome(test).latency != two);
  }

  TEST_CASE("17.28 mean latencies of both networks under the same traffic, at middle loads") {
    using enum TrafficPattern;
    for (const GapRow& row :
         {GapRow{kUniform, 1, 4, 8, 3, 0.3, 29.44, 29.03}, GapRow{kUniform, 8, 4, 8, 3, 0.3, 56.70, 54.04},
          GapRow{kTranspose, 8, 4, 8, 3, 0.1, 41.14, 39.01}, GapRow{kHotspot, 8, 4, 8, 3, 0.1, 39.22, 37.61}}) {
      check_gap(row);
    }
  }
}
