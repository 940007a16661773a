// Probes simulated: equal to their closed forms where these are exact, no faster where they are bounds.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/plan/probe/path_rates.hpp"
#include "sim/plan/probe/probe_checks.hpp"
#include "sim/system/probe/run_probe.hpp"
#include "tests/plan/random_network.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

std::vector<Picoseconds> simulated(const MachineSpec& machine, const std::vector<ProbeTransfer>& transfers) {
  std::istringstream in(forked([&] {
    std::string text;
    for (const Picoseconds end : run_probe(machine, transfers).ends) text += std::to_string(end.value) + " ";
    return text;
  }));
  std::vector<Picoseconds> ends(transfers.size());
  for (Picoseconds& end : ends) in >> end.value;
  return ends;
}

Picoseconds simulated(const MachineSpec& machine, const std::string& probe, Bytes bytes) {
  const ProbeSet set = probe_set(plan_network(machine), machine, {bytes});
  return simulated(machine, std::ranges::find(set.probes, probe, &Probe::name)->transfers).front();
}

std::int64_t between(std::int64_t least, std::int64_t most) { return least + random_below(most - least + 1); }

/// All that a probe's time depends on differs; packets and channels divide each other in most cases.
MachineSpec random_probe_machine() {
  MachineSpec machine = random_network_machine();
  HbmSpec& hbm = machine.die.hbm;
  const auto bandwidth = [] { return Bandwidth{between(1, 600) * 1'000'000'000}; };
  hbm.pseudo_channels = *rc::gen::element<std::int64_t>(1, 2, 3, 4, 8, 16);
  hbm.burst = *rc::gen::element<Bytes>(32, 64, 256);
  hbm.bandwidth = bandwidth();
  hbm.read_latency = {between(0, 60'000)};
  hbm.turnaround = {between(0, 20'000)};
  hbm.write_batch = between(1, 8);
  hbm.write_queue = hbm.write_batch + between(0, 30);
  machine.die.sram.bandwidth = bandwidth();
  machine.die.sram.latency = {between(0, 20'000)};
  machine.simulation.packet = hbm.burst * *rc::gen::element<std::int64_t>(1, 1, 2, 3, 4, 8, 16, 24);
  machine.pe.dma.outstanding_bursts = machine.simulation.packet / hbm.burst * between(1, 70) + between(0, 2);
  machine.pe.dma.setup = {between(0, 9000)};
  machine.pe.tcm.read = bandwidth();
  machine.pe.tcm.write = bandwidth();
  machine.die.router.link = bandwidth();
  machine.package.die_to_die.bandwidth = bandwidth();
  machine.system.package_link = bandwidth();
  machine.system.host_link = bandwidth();
  machine.system.io_processor = {between(0, 50'000)};
  const Bytes room = *rc::gen::element<Bytes>(64, 4096, 65'536, Bytes{1} << 30U);
  machine.die.router.buffer = room;
  machine.die.hbm.port_buffer = *rc::gen::element<Bytes>(64, 4096, 65'536, Bytes{1} << 30U);
  machine.die.sram.port_buffer = *rc::gen::element<Bytes>(64, 4096, 65'536, Bytes{1} << 30U);
  machine.package.die_to_die.buffer = room;
  machine.system.package_link_buffer = room;
  return machine;
}

/// A probe of the machine with a size of its own: 1 to 300 packets.
ProbeOutcome random_outcome(const MachineSpec& machine, bool contends) {
  const NetworkPlan plan = plan_network(machine);
  ProbeSet set = probe_set(plan, machine, {between(1, 300) * machine.simulation.packet});
  std::erase_if(set.probes, [&](const Probe& probe) { return probe.contends() != contends; });
  const auto index = static_cast<std::size_t>(random_below(static_cast<std::int64_t>(set.probes.size())));
  return expect_probe(plan, machine, set.probes[index]);
}

void check_outcome(const MachineSpec& machine, bool contends) {
  ProbeOutcome outcome = random_outcome(machine, contends);
  outcome.ends = simulated(machine, outcome.probe.transfers);
  RC_LOG() << outcome.probe.name << ' ' << outcome.alone.bound_because << " simulated " << outcome.time().value
           << " closed form " << outcome.closed_form().value << '\n';
  RC_TAG(outcome.exact());
  for (const ProbeCheck& check : check_probes({outcome})) RC_ASSERT(check.failures.empty());
}

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.2 a time runs from the command to the last delivery or acknowledgement") {
    const MachineSpec machine = milestone();
    CHECK(simulated(machine, "own-hbm-read", 256).value == 4000 + 2030 + 8000 + 32'000 + 1000 + 2030);
    CHECK(simulated(machine, "own-hbm-write", 256).value == 4000 + 1000 + 2030 + 2030);
  }

  TEST_CASE("21.3 the host's engine: the IO processor's latency, a PE's credits, no TCM") {
    constexpr std::int64_t kWay = 90'180;
    const auto host = [](const std::string& probe, Bytes bytes, const std::vector<std::string>& overrides = {}) {
      return simulated(milestone(overrides), probe, bytes).value;
    };
    CHECK(host("host-to-device", 256) == 10'000 + 4000 + kWay + kWay);
    CHECK(host("device-to-host", 256) == 10'000 + kWay + 8000 + 32'000 + 4000 + kWay);
    const std::vector<std::string> other = {"pe.dma.setup_latency=1us", "pe.tcm.read_bandwidth=1GB/s",
                                            "pe.tcm.write_bandwidth=1GB/s", "system.io_processor_latency=11ns"};
    CHECK(host("host-to-device", 256, other) == host("host-to-device", 256) + 1000);
    CHECK(host("device-to-host", 256, other) == host("device-to-host", 256) + 1000);
    // With one credit every packet takes a round trip.
    const auto with_one = [&](const std::string& probe) { return host(probe, 1024, {"pe.dma.outstanding_bursts=1"}); };
    CHECK(with_one("host-to-device") == 10'000 + 4 * (host("host-to-device", 256) - 10'000));
    CHECK(with_one("device-to-host") == 10'000 + 4 * (host("device-to-host", 256) - 10'000));
  }

  TEST_CASE("21.4 on the committed machine each transfer takes its closed form") {
    const MachineSpec machine = milestone();
    const NetworkPlan plan = plan_network(machine);
    for (const Probe& probe : probe_set(plan, machine, {16'384}).probes) {
      if (probe.contends()) continue;
      CAPTURE(probe.name);
      const ProbeTime expected = probe_time(plan, machine, probe.transfers.front());
      CHECK(expected.bound_because.empty());
      CHECK(simulated(machine, probe.transfers).front().value == expected.time.value);
    }
  }

  TEST_CASE("21.4 on any machine a transfer takes its closed form where that is exact, else no less") {
    CHECK(rc::check("single transfers", [] { check_outcome(random_probe_machine(), false); }));
  }

  TEST_CASE("21.12 writes into queues of any length take their closed form") {
    const auto write = [](Bytes bytes, const std::vector<std::string>& overrides) {
      const MachineSpec machine = milestone(overrides);
      const NetworkPlan plan = plan_network(machine);
      const ProbeSet set = probe_set(plan, machine, {bytes});
      const Probe& probe = *std::ranges::find(set.probes, std::string("own-hbm-write"), &Probe::name);
      CHECK(simulated(machine, probe.transfers).front() == probe_time(plan, machine, probe.transfers.front()).time);
      return probe_time(plan, machine, probe.transfers.front()).limit;
    };
    for (const char* queue : {"1", "2", "7", "32"}) {
      CAPTURE(queue);
      const std::vector<std::string> slow = {"die.hbm.bandwidth=64 GB/s", "die.hbm.write_batch=1",
                                             std::string("die.hbm.write_queue=") + queue};
      CHECK(write(64 * 256, slow) == (std::string(queue).size() == 1 && queue[0] < '7' ? "memory" : "link"));
      CHECK(write(1024 * 256, slow) == "memory");
    }
  }

  TEST_CASE("21.5 a flow that waits for room takes longer than the form") {
    const auto over = [](int packets) {
      const MachineSpec machine = milestone({"package.die_to_die.buffer=" + std::to_string(256 * packets) + "B"});
      const NetworkPlan plan = plan_network(machine);
      const ProbeSet set = probe_set(plan, machine, {256});
      const Probe& crossing = *std::ranges::find(set.probes, std::string("die-to-die"), &Probe::name);
      return simulated(machine, crossing.transfers).front() -
             probe_time(plan, machine, crossing.transfers.front()).time;
    };
    CHECK(over(18) == Picoseconds{});
    CHECK(over(17) > Picoseconds{});
  }

  TEST_CASE("21.7 on any machine PEs that read one memory at once are no faster than the bound") {
    CHECK(rc::check("contention", [] { check_outcome(random_probe_machine(), true); }));
  }

  TEST_CASE("21.7 on the committed machine each further PE adds its bytes' time on the controller's link") {
    const MachineSpec machine = milestone();
    const ProbeSet set = probe_set(plan_network(machine), machine, {16'384});
    Picoseconds before;
    for (const Probe& probe : set.probes) {
      if (!probe.contends()) continue;
      const Picoseconds all = std::ranges::max(simulated(machine, probe.transfers));
      if (before > Picoseconds{}) {
        CHECK(all >= before + from_ns(64));
        CHECK(all <= before + from_ns(68));  // and at most two hops to a PE that is farther
      }
      before = all;
    }
  }

  TEST_CASE("21.13 on any machine no transfer comes sooner than the rates of its path let it") {
    CHECK(rc::check("paths", [] {
      const MachineSpec machine = random_probe_machine();
      ProbeOutcome outcome = random_outcome(machine, false);
      const ProbeTransfer& transfer = outcome.probe.transfers.front();
      outcome.ends = simulated(machine, outcome.probe.transfers);
      const PathRate path = path_rate(plan_network(machine), machine, transfer, outcome.probe.name);
      for (const PathTerm& term : path.terms) {
        if (!term.key.ends_with("buffer")) continue;
        RC_LOG() << outcome.probe.name << ' ' << term.key << ' ' << term.rate.gbs() << " GB/s, " << term.what << '\n';
        RC_TAG(term.key);
        // As much as the room holds may be on its way at once.
        const Bytes room = std::stoll(term.what) * machine.simulation.packet;
        if (transfer.bytes > room) RC_ASSERT(outcome.time() >= term.rate.time_for(transfer.bytes - room));
      }
    }));
  }

  TEST_CASE("21.13 a long transfer that room holds up takes the time that its path's rate says") {
    for (const char* wire : {"0.01 ns/mm", "1 ns/mm"}) {
      const MachineSpec machine = milestone({"die.router.buffer=512 B", std::string("die.wire.delay=") + wire});
      const PathRate path = path_rates(plan_network(machine), machine).front();
      REQUIRE(path.limits() == std::vector<std::string>{"die.router.buffer"});
      constexpr Bytes kBytes = 1 << 20;
      const Picoseconds time = simulated(machine, "own-hbm-read", kBytes);
      CHECK(time >= path.rate().time_for(kBytes));
      CHECK(time <= path.rate().time_for(kBytes) + from_ns(60));  // and the first packet's way
    }
  }

  TEST_CASE("21.10 on any machine all checks pass") {
    CHECK(rc::check("all probes", [] {
      const MachineSpec machine = random_probe_machine();
      const NetworkPlan plan = plan_network(machine);
      std::vector<ProbeOutcome> outcomes;
      for (const Probe& probe : probe_set(plan, machine, {between(1, 100) * machine.simulation.packet}).probes) {
        if (outcomes.size() > 7 && !probe.contends()) continue;
        outcomes.push_back(expect_probe(plan, machine, probe));
        outcomes.back().ends = simulated(machine, probe.transfers);
      }
      for (const ProbeCheck& check : check_probes(outcomes)) {
        for (const std::string& failure : check.failures) RC_LOG() << check.name << ": " << failure << '\n';
        RC_ASSERT(check.failures.empty());
      }
    }));
  }
}
