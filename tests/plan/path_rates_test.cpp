// Rates of paths by hand, and the warnings that follow from them.
#include "sim/plan/probe/path_rates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/base/source_dir.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/plan/probe/probe_set.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

using Lines = std::vector<std::string>;

std::map<std::string, PathRate> rates(const MachineSpec& machine) {
  std::map<std::string, PathRate> rates;
  for (const PathRate& path : path_rates(plan_network(machine), machine)) rates.emplace(path.name, path);
  return rates;
}

PathTerm term_of(const PathRate& path, const std::string& key) {
  const auto term = std::ranges::find(path.terms, key, &PathTerm::key);
  return term == path.terms.end() ? PathTerm{key, {}, ""} : *term;
}

double gbs(const PathRate& path, const std::string& key) { return term_of(path, key).rate.gbs(); }

Lines warnings(const Lines& overrides = {}) {
  const MachineSpec machine = milestone(overrides);
  return rate_warnings(plan_network(machine), machine);
}

const std::string kSmallest = kernbench::source_dir() + "/tests/machine/smallest.yaml";

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.13 a path is as fast as the least of memory, links, TCM port and credits in a round trip") {
    const auto paths = rates(milestone());
    CHECK(paths.size() == 7);
    const PathRate& read = paths.at("own HBM to TCM");
    CHECK(read.rate().gbs() == 256);
    CHECK(read.limits() == Lines{"die.hbm.bandwidth", "die.router.link_bandwidth"});
    CHECK(gbs(read, "pe.tcm.write_bandwidth") == 512);
    // 64 bursts of 256 B in 2.03 + 8 + 32 + 1 + 2.03 ns
    CHECK(gbs(read, "pe.dma.outstanding_bursts") == doctest::Approx(16'384 / 45.06).epsilon(1e-9));
    CHECK(paths.at("TCM to own HBM").rate().gbs() == 256);
    CHECK(gbs(paths.at("TCM to own HBM"), "pe.tcm.read_bandwidth") == 512);
    CHECK(paths.at("SRAM to TCM").limits() == Lines{"die.sram.bandwidth"});
    CHECK(paths.at("SRAM to TCM").rate().gbs() == 128);
    CHECK(gbs(paths.at("next die's HBM to TCM"), "package.die_to_die.bandwidth") == 256);  // two, ganged
    CHECK(gbs(paths.at("next package's HBM to TCM"), "system.package_link.bandwidth") == 512);
    CHECK(paths.at("host to HBM").limits() == Lines{"system.host_link.bandwidth"});
    CHECK(paths.at("host to HBM").rate().gbs() == 64);
  }

  TEST_CASE("21.13 the rate of credits is that of a long transfer which they limit") {
    const MachineSpec machine = milestone({"pe.dma.outstanding_bursts=16"});
    const NetworkPlan plan = plan_network(machine);
    const PathRate path = path_rates(plan, machine).front();
    CHECK(path.limits() == Lines{"pe.dma.outstanding_bursts"});
    ProbeTransfer transfer{plan.find(NodeKind::kPe, {0, 0, 0}), plan.find(NodeKind::kHbm, {0, 0, 0})};
    transfer.bytes = 16'777'216;
    const double long_rate = 16'777'216 / probe_time(plan, machine, transfer).time.ns();
    CHECK(long_rate < path.rate().gbs());
    CHECK(long_rate >= 16'777'216 / (4097 * 45.06 + 4));  // 4096 times all credits: a round trip each, and one more
  }

  TEST_CASE("21.13 room behind a link that holds packets up is a rate of its own, with the room that would do") {
    const auto paths = rates(milestone({"die.router.buffer=512 B"}));
    const PathRate& read = paths.at("own HBM to TCM");
    // Of two packets at a time: 0.02 + 2 + 1 + 0.02 ns; four hide the way of the room.
    CHECK(read.limits() == Lines{"die.router.buffer"});
    CHECK(read.rate().gbs() == doctest::Approx(512 / 3.04).epsilon(1e-9));
    CHECK(term_of(read, "die.router.buffer").what == "2 packets of 256 B in 3.04 ns; 1 KiB would do");
    CHECK(gbs(rates(milestone({"die.router.buffer=1023 B"})).at("own HBM to TCM"), "die.router.buffer") ==
          doctest::Approx(768 / 3.04).epsilon(1e-9));
    CHECK(gbs(rates(milestone({"die.router.buffer=1 KiB"})).at("own HBM to TCM"), "die.router.buffer") == 0);
    const auto written = rates(milestone({"die.hbm.port_buffer=64 B", "die.wire.hbm_to_router=200 mm"}));
    CHECK(written.at("TCM to own HBM").limits() == Lines{"die.hbm.port_buffer"});
    CHECK(written.at("TCM to own HBM").rate().gbs() == doctest::Approx(512 / 5.0).epsilon(1e-9));
    CHECK(gbs(written.at("own HBM to TCM"), "die.hbm.port_buffer") == 0);
    // Of those, 20.14 warns.
    CHECK(warnings({"die.router.buffer=512 B"}).empty());
  }

  TEST_CASE("21.13 of a foreign memory neither bandwidth nor credits are known") {
    MachineSpec machine = milestone();
    machine.die.hbm.model = "own_dram";
    const PathRate path = path_rates(plan_network(machine), machine).front();
    CHECK(gbs(path, "die.hbm.bandwidth") == 0);
    CHECK(gbs(path, "pe.dma.outstanding_bursts") == 0);
    CHECK(path.rate().gbs() == 256);
    machine.die.router.link = {1'000'000'000};
    CHECK(warnings().empty());
    CHECK(std::ranges::none_of(rate_warnings(plan_network(machine), machine),
                               [](const std::string& text) { return text.starts_with("die.hbm.bandwidth"); }));
  }

  TEST_CASE("21.14 memory behind a slower link, port or too few credits is told, with the value that would do") {
    CHECK(warnings().empty());
    const Lines told = warnings({"die.hbm.bandwidth=512 GB/s"});
    REQUIRE(told.size() == 2);
    CHECK(told[0] ==
          "die.hbm.bandwidth: a PE reads its own HBM with at most 256 GB/s of its 512 GB/s, because of "
          "die.router.link_bandwidth: set die.router.link_bandwidth to at least 512 GB/s");
    // 2.03 + 4 + 32 + 1 + 2.03 ns
    CHECK(told[1] ==
          "die.hbm.bandwidth: a PE reads its own HBM with at most 399.026 GB/s of its 512 GB/s, because of "
          "pe.dma.outstanding_bursts (64 x 256 B in 41.06 ns): set pe.dma.outstanding_bursts to at least 83");
    CHECK(warnings({"die.hbm.bandwidth=512 GB/s", "die.router.link_bandwidth=512 GB/s", "pe.dma.outstanding_bursts=83"})
              .empty());
    CHECK(warnings({"pe.tcm.read_bandwidth=100 GB/s"}) ==
          Lines{"die.hbm.bandwidth: a PE writes its own HBM with at most 100 GB/s of its 256 GB/s, because of "
                "pe.tcm.read_bandwidth: set pe.tcm.read_bandwidth to at least 256 GB/s"});
  }

  TEST_CASE("21.14 an SRAM behind a slower link and a host behind slower dies are told") {
    CHECK(warnings({"die.sram.bandwidth=300 GB/s"}) ==
          Lines{"die.sram.bandwidth: the SRAM is read with at most 256 GB/s of its 300 GB/s, because of "
                "die.router.link_bandwidth: set die.router.link_bandwidth to at least 300 GB/s"});
    CHECK(
        warnings({"system.host_link.bandwidth=2049 GB/s"}) ==
        Lines{
            "system.host_link.bandwidth: the host reaches the package's dies with at most 2048 GB/s of its 2049 GB/s, "
            "because of package.die_to_die.bandwidth (16 connections to the IO die): set "
            "package.die_to_die.bandwidth to at least 128.062 GB/s"});
    CHECK(warnings({"system.host_link.bandwidth=2048 GB/s"}).empty());
  }
}

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.13 probes and paths of what is absent are left out, and it says nothing of message queues") {
    const MachineSpec machine = load_machine(kSmallest).spec;
    const NetworkPlan plan = plan_network(machine);
    const ProbeSet set = probe_set(plan, machine, {machine.simulation.packet});
    std::map<std::string, std::string> reasons;
    for (const ProbeLeftOut& out : set.left_out) reasons[out.name] = out.reason;
    CHECK(reasons.at("sram") == "machine one-die has no die.sram");
    for (const char* probe : {"host-to-device", "device-to-host", "host-to-device-far"}) {
      CHECK(reasons.at(probe) == "machine one-die has no system.host_link");
    }
    for (const Probe& probe : set.probes) {
      CHECK_FALSE(probe.name.starts_with("sram"));
      CHECK(probe.name.find("host") == std::string::npos);
    }
    CHECK(path_rates(plan, machine).size() == 2);
    CHECK(slot_notes(plan, machine).empty());
    CHECK_NOTHROW(check_probe_bytes(load_machine(kSmallest, {"pe.tcm.capacity=64 MiB"}).spec, Bytes{64} << 20U));
    CHECK_THROWS(check_probe_bytes(load_machine(kSmallest, {"pe.tcm.capacity=64 MiB", "die.sram.latency=1 ns"}).spec,
                                   Bytes{64} << 20U));
  }
}
