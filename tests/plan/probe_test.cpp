// Probes without simulating: which there are, their closed forms by hand, and what the checks notice.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/probe/probe_checks.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

constexpr Bytes kBytes = 16'384;

struct Place {
  MachineSpec machine;
  NetworkPlan plan;
  ProbeSet set;

  explicit Place(const std::vector<std::string>& overrides = {}, const std::vector<Bytes>& sizes = {kBytes})
      : machine(milestone(overrides)), plan(plan_network(machine)), set(probe_set(plan, machine, sizes)) {}

  [[nodiscard]] const Probe& probe(const std::string& name) const {
    const auto found = std::ranges::find(set.probes, name, &Probe::name);
    REQUIRE_MESSAGE(found != set.probes.end(), name);
    return *found;
  }
  [[nodiscard]] ProbeTime time(const std::string& name) const {
    return probe_time(plan, machine, probe(name).transfers.front());
  }
  [[nodiscard]] std::string ends(const std::string& name) const {
    const ProbeTransfer& transfer = probe(name).transfers.front();
    return plan.node(transfer.initiator).name + " " + plan.node(transfer.memory).name;
  }
};

std::vector<std::string> left_out(const ProbeSet& set) {
  std::vector<std::string> names;
  for (const ProbeLeftOut& out : set.left_out) names.push_back(out.name);
  return names;
}

std::string refusal(Bytes bytes) {
  try {
    check_probe_bytes(milestone({"simulation.packet_bytes=512B"}), bytes);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// Outcomes that take exactly what they are expected to.
std::vector<ProbeOutcome> as_expected(const Place& place) {
  std::vector<ProbeOutcome> outcomes;
  for (const Probe& probe : place.set.probes) {
    outcomes.push_back(expect_probe(place.plan, place.machine, probe));
    outcomes.back().ends.assign(probe.transfers.size(), outcomes.back().closed_form());
  }
  return outcomes;
}

std::vector<std::string> failing(const std::vector<ProbeOutcome>& outcomes) {
  std::vector<std::string> names;
  for (const ProbeCheck& check : check_probes(outcomes)) {
    if (!check.failures.empty()) names.push_back(check.name);
  }
  return names;
}

ProbeOutcome& named(std::vector<ProbeOutcome>& outcomes, const std::string& name) {
  return *std::ranges::find(outcomes, name, [](const ProbeOutcome& outcome) { return outcome.probe.name; });
}

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.1 the committed machine has a place for every probe") {
    const Place place;
    CHECK(place.set.left_out.empty());
    CHECK(place.set.probes.size() == 29);
    CHECK(place.ends("own-hbm-read") == "package0.die0.pe0 package0.die0.hbm0");
    CHECK(place.ends("die-near-read") == "package0.die0.pe0 package0.die0.hbm1");
    CHECK(place.ends("die-far-write") == "package0.die0.pe0 package0.die0.hbm7");
    CHECK(place.ends("sram-read") == "package0.die0.pe0 package0.die0.sram");
    CHECK(place.ends("other-die-near-read") == "package0.die0.pe0 package0.die4.hbm0");
    CHECK(place.ends("other-die-far-read") == "package0.die0.pe0 package0.die15.hbm7");
    CHECK(place.ends("other-package-near-read") == "package0.die0.pe0 package1.die12.hbm4");
    CHECK(place.ends("other-package-far-read") == "package0.die0.pe0 package1.die0.hbm0");
    CHECK(place.ends("host-to-device") == "package0.host package0.die0.hbm0");
    CHECK(place.ends("device-to-host-far") == "package0.host package1.die0.hbm0");
    CHECK(place.ends("die-to-die") == "package0.die0.pe3 package0.die1.hbm0");
    CHECK(place.probe("die-to-die").transfers.front().bytes == 65'536);
    CHECK(place.probe("contend-1").what == "1 PE reads package0.die0.hbm0");
    CHECK(place.probe("contend-2").what == "2 PEs of the die read package0.die0.hbm0 at once");
    CHECK(place.probe("contend-8").transfers.size() == 8);
    CHECK(place.probe("contend-8").transfers.back().memory == place.probe("own-hbm-read").transfers.front().memory);
  }

  TEST_CASE("21.1 probes without a place are left out and named") {
    const Place one_pe({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1",
                        "die.routers.rows=1", "die.routers.columns=1"},
                       {256, 512});
    CHECK(left_out(one_pe.set) == std::vector<std::string>{"die-near", "die-far", "other-die-near", "other-die-far",
                                                           "other-package-near", "other-package-far",
                                                           "host-to-device-far", "die-to-die"});
    CHECK(one_pe.set.probes.size() == 2 * 7);
    const Place row({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=2", "die.routers.rows=1",
                     "die.routers.columns=2"});
    CHECK(left_out(row.set) ==
          std::vector<std::string>{"die-far", "other-package-near", "other-package-far", "host-to-device-far"});
  }

  TEST_CASE("21.2 transfers are whole packets, as many as all memories hold") {
    CHECK(refusal(512).empty());
    CHECK(refusal(Bytes{16} << 20U).empty());
    for (const Bytes bytes : {Bytes{0}, Bytes{256}, Bytes{511}, Bytes{513}, (Bytes{16} << 20U) + 512}) {
      CHECK(refusal(bytes).find("expected a multiple of simulation.packet_bytes, 512 B, of at most 16 MiB") == 0);
    }
  }

  TEST_CASE("21.4 the terms of the committed machine") {
    const Place place;
    const ProbeTime own = place.time("own-hbm-read");
    CHECK(own.packets == 64);
    CHECK(own.window == 64);
    CHECK(own.round_trip == Picoseconds{2030 + 8000 + 32'000 + 1000 + 2030});
    CHECK(own.queueing == from_ns(63));  // 7 bursts more on each channel are 56 ns, the link's packets 63 ns
    CHECK(own.time == Picoseconds{4000 + 45'060 + 63'000});
    CHECK(place.time("own-hbm-write").time == Picoseconds{4000 + 1000 + 2030 + 2030 + 63'000});
    CHECK(place.time("sram-read").time == Picoseconds{4000 + 2 * 2030 + 2000 + 10'000 + 1000 + 63 * 2000});
    CHECK(place.time("die-to-die").time == Picoseconds{4000 + 256 * 1000 + 2 * 20'030});
    CHECK(place.time("host-to-device").time == Picoseconds{10'000 + 64 * 4000 + 2 * 90'180});
  }

  TEST_CASE("21.4 rounds of credits, turns of channels and packets on a link add up to the most there is") {
    const auto queueing = [](const std::vector<std::string>& overrides, Bytes packets) {
      return Place(overrides, {packets * 256}).time("own-hbm-read").queueing;
    };
    const Picoseconds round_trip{45'060};
    // 8 credits: a round of 8 packets takes a round trip, what is left over 1 ns each.
    CHECK(queueing({"pe.dma.outstanding_bursts=8"}, 1) == Picoseconds{});
    CHECK(queueing({"pe.dma.outstanding_bursts=8"}, 8) == from_ns(7));
    CHECK(queueing({"pe.dma.outstanding_bursts=8"}, 9) == round_trip);
    CHECK(queueing({"pe.dma.outstanding_bursts=8"}, 27) == 3 * round_trip + from_ns(2));
    // Channels of half the bandwidth: 16 ns every 8 packets, then 1 ns each.
    CHECK(queueing({"die.hbm.bandwidth=128GB/s"}, 8) == from_ns(7));
    CHECK(queueing({"die.hbm.bandwidth=128GB/s"}, 9) == from_ns(16));
    CHECK(queueing({"die.hbm.bandwidth=128GB/s"}, 27) == from_ns(3 * 16 + 2));
  }

  TEST_CASE("21.12 a write to HBM waits for its memory where the queues are full") {
    const auto queueing = [](const char* queue, Bytes packets, const char* packet = "256 B") {
      const std::vector<std::string> overrides{
          "die.hbm.bandwidth=64 GB/s", "die.hbm.write_batch=1", std::string("die.hbm.write_queue=") + queue,
          std::string("simulation.packet_bytes=") + packet, "pe.dma.outstanding_bursts=1024"};
      return Place(overrides, {packets * 256}).time("own-hbm-write").queueing;
    };
    // 32 ns a burst; packet 8 is for the channel of packet 0.
    CHECK(queueing("1", 8) == from_ns(7));
    CHECK(queueing("1", 9) == from_ns(32));
    CHECK(queueing("1", 16) == from_ns(32 + 7));
    CHECK(queueing("1", 17) == from_ns(64));
    CHECK(queueing("3", 24) == from_ns(23));
    CHECK(queueing("3", 25) == from_ns(32));
    CHECK(queueing("3", 33) == from_ns(64));
    CHECK(queueing("4", 32) == from_ns(31));
    // Packets of 16 bursts, two for each channel: the second waits until one or both of the first are written.
    CHECK(queueing("3", 32, "4 KiB") == from_ns(16));
    CHECK(queueing("2", 32, "4 KiB") == from_ns(32));
    CHECK(queueing("1", 32, "4 KiB") == from_ns(64));
    CHECK(queueing("1", 48, "4 KiB") == from_ns(128));
  }

  TEST_CASE("21.5 a form is exact unless packets divide the channels unevenly or a buffer is short of room") {
    CHECK(Place().time("other-package-far-read").bound_because.empty());
    const Place uneven({"simulation.packet_bytes=768B"}, {768 * 4});
    CHECK(uneven.time("own-hbm-read").bound_because.find("pseudo-channels") != std::string::npos);
    CHECK(uneven.time("sram-read").bound_because.empty());
    // Over a die-to-die link: room for K packets, one each 2 ns, comes back after 2 x 16 + 2 + 2 ns: K is 18.
    const auto with_room = [](int packets) {
      return Place({"package.die_to_die.buffer=" + std::to_string(256 * packets) + "B"}).time("die-to-die");
    };
    CHECK(with_room(18).bound_because.empty());
    CHECK(with_room(17).bound_because ==
          "the buffer behind package0.die0.router3 -> package0.die1.router0 is too small for an unbroken flow");
  }

  TEST_CASE("21.6 the stages are the route, and end with the first packet's time") {
    const Place place({}, {256});
    for (const Probe& probe : place.set.probes) {
      if (probe.contends() || probe.name == "die-to-die") continue;
      CAPTURE(probe.name);
      const ProbeTransfer& transfer = probe.transfers.front();
      const bool reads = transfer.direction == ProbeDirection::kRead;
      const ProbeTime time = probe_time(place.plan, place.machine, transfer);
      const auto links = link_path(place.plan, reads ? transfer.memory : transfer.initiator,
                                   reads ? transfer.initiator : transfer.memory);
      const bool has_tcm = place.plan.node(transfer.initiator).kind == NodeKind::kPe;
      REQUIRE(time.stages.size() == links.size() + (has_tcm ? 2 : 1));
      for (const ProbeStage& stage : time.stages) {
        CHECK(stage.tail >= stage.head + stage.service);
        CHECK(stage.tail + stage.rest <= time.time);
      }
      CHECK(time.stages.back().tail + time.stages.back().rest == time.time);
      CHECK(time.way == zero_load_latency(place.plan, transfer.initiator, transfer.memory));
    }
  }

  TEST_CASE("21.7 a bound is the work of the busiest thing that the transfers share") {
    const Place place;
    const auto contention = [&](const char* name) {
      return probe_contention(place.plan, place.machine, place.probe(name).transfers);
    };
    CHECK(contention("contend-1").bound == place.time("own-hbm-read").time);
    // The first data leave the controller at 4 + 2.03 + 8 + 32 ns; 3 x 64 packets, 1 ns each; 2.03 ns to the nearest
    // PE.
    CHECK(contention("contend-3").bound == Picoseconds{46'030 + 192'000 + 2030});
    CHECK(contention("contend-3").bottleneck == "package0.die0.hbm0 -> package0.die0.router0");
  }

  TEST_CASE("21.9 the peak is the path's slowest thing, or what fair shares add up to") {
    const Place place;
    const auto peak = [&](const char* name) {
      return expect_probe(place.plan, place.machine, place.probe(name)).peak_gbs();
    };
    CHECK(peak("own-hbm-read") == 256.0);
    CHECK(peak("sram-write") == 128.0);
    CHECK(peak("host-to-device") == 64.0);
    CHECK(peak("contend-5") == doctest::Approx(256.0));
    std::vector<ProbeOutcome> outcomes = as_expected(place);
    CHECK(named(outcomes, "own-hbm-read").gbs() == doctest::Approx(16'384 / 112.06));
    CHECK(named(outcomes, "contend-2").utilisation() == doctest::Approx(2 * 16'384 / 176.06 / 256));
  }

  TEST_CASE("21.9 what limits a transfer is what its packets wait for most") {
    const auto limit = [](const std::string& probe, Bytes bytes, const std::vector<std::string>& overrides = {}) {
      return Place(overrides, {bytes}).time(probe).limit;
    };
    CHECK(limit("own-hbm-read", 49 * 256) == "latency");  // 48 ns behind the first packet's 49.06 ns
    CHECK(limit("own-hbm-read", 51 * 256) == "link");
    CHECK(limit("own-hbm-read", 51 * 256, {"die.hbm.bandwidth=255GB/s"}) == "memory");
    CHECK(limit("sram-read", kBytes) == "memory");
    CHECK(limit("host-to-device", kBytes) == "link");
    CHECK(limit("other-package-far-read", 64 * 256) == "latency");
    CHECK(limit("other-package-far-read", 640 * 256) == "credits");
    CHECK(limit("other-package-far-read", 640 * 256, {"pe.dma.outstanding_bursts=300"}) == "link");
  }

  TEST_CASE("21.10 each check notices what it is for, a picosecond off") {
    const Place place;
    const std::vector<ProbeOutcome> right = as_expected(place);
    CHECK(failing(right).empty());
    const auto checks = check_probes(right);
    CHECK(std::ranges::all_of(checks, [](const ProbeCheck& check) { return check.cases > 0; }));
    using Names = std::vector<std::string>;
    auto wrong = right;
    named(wrong, "die-far-read").ends[0].value += 1;
    CHECK(failing(wrong) == Names{"exact"});
    wrong = right;
    named(wrong, "contend-3").ends.assign(3, named(wrong, "contend-3").closed_form() - Picoseconds{1});
    CHECK(failing(wrong) == Names{"bounded"});
    wrong = right;
    named(wrong, "die-far-read").ends[0] = named(wrong, "die-near-read").time() - Picoseconds{1};
    CHECK(failing(wrong) == Names{"exact", "distance"});
    wrong = right;
    named(wrong, "sram-read").ends[0] = named(wrong, "sram-write").time() - Picoseconds{1};
    CHECK(failing(wrong) == Names{"exact", "direction"});
    wrong = right;
    named(wrong, "contend-4").ends[1] = place.time("die-near-read").time;
    CHECK(failing(wrong).empty());
    named(wrong, "contend-4").ends[1].value -= 1;
    CHECK(failing(wrong) == Names{"contention"});
    wrong = right;
    named(wrong, "contend-2").ends.assign(2, Picoseconds{127'999});  // 32 KiB at 256 GB/s take 128 ns
    CHECK(failing(wrong) == Names{"bounded", "utilisation"});
    named(wrong, "contend-2").ends.assign(2, Picoseconds{128'000});
    CHECK(failing(wrong) == Names{"bounded"});
  }
}

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.4 no check holds a probe of a foreign memory against a closed form, and those of an SRAM stand") {
    const Place place({"die.hbm.model=foreign"});
    std::vector<ProbeOutcome> sooner = as_expected(place);
    int without = 0;
    for (ProbeOutcome& one : sooner) {
      const bool in_hbm = place.plan.node(one.probe.transfers.front().memory).kind == NodeKind::kHbm;
      CHECK(one.no_bound == (in_hbm ? "no exact bound: die.hbm.model is foreign" : ""));
      if (!in_hbm) continue;
      CHECK_FALSE(one.exact());
      one.ends.assign(one.ends.size(), Picoseconds{1});
      ++without;
    }
    CHECK(without > 0);
    CHECK(failing(sooner).empty());
    named(sooner, "sram-read").ends[0].value += 1;
    CHECK(failing(sooner) == std::vector<std::string>{"exact"});
  }
}
