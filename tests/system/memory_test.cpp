// Moves between HBM and TCM on the whole machine: each time is the sum of its parts, to the picosecond.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::memory_test {
namespace {

using Overrides = std::vector<std::string>;

// Of the committed machine. A burst is 256 bytes: 8 ns on its channel, 1 ns on a link, half of that on a TCM port.
constexpr Picoseconds kControl = from_ns(2);
constexpr Picoseconds kSetup = from_ns(4);
constexpr Picoseconds kWay{10 + 2000 + 20};
constexpr Picoseconds kBurst = from_ns(8);
constexpr Picoseconds kRead = from_ns(32);
constexpr Picoseconds kLink = from_ns(1);
/// From the issue of a burst to its delivery, when nothing is in its way.
constexpr Picoseconds kRoundTrip = kWay + kBurst + kRead + kLink + kWay;

/// A matrix of whole bursts without gaps, at a multiple of 8 bursts.
MatrixLayout run_of(std::int64_t bursts, std::int64_t from_burst = 0) {
  return {Layout::kRowMajor, 1, bursts * 128, 1, bursts * 128, from_burst * 256, 256};
}

/// Records of one load of `bursts` bursts.
OpRecord load(std::int64_t bursts, const Overrides& overrides = {}) {
  const Observed run = simulate(milestone(overrides), [&](KernelPe pe) -> Process {
    const Operand operand = co_await pe.load(run_of(bursts));
    co_await pe.wait(operand);
  });
  REQUIRE(run.of("load").size() == 1);
  CHECK(run.of("load")[0].bytes == bursts * 256);
  CHECK(run.result.engine.bursts == bursts);
  CHECK(run.result.pe.end == run.of("load")[0].end);
  return run.of("load")[0];
}

Picoseconds load_time(std::int64_t bursts, const Overrides& overrides = {}) {
  const OpRecord record = load(bursts, overrides);
  return record.end - record.start;
}

/// Time from taking up to acknowledgement of one write of `bursts` bursts.
Picoseconds store_time(std::int64_t bursts, const Overrides& overrides = {}) {
  const Observed run = simulate(milestone(overrides), [&](KernelPe pe) -> Process {
    const Operand operand = co_await pe.load(run_of(bursts));
    co_await pe.wait(operand);
    co_await pe.wait(co_await pe.store(operand));
  });
  const auto stores = run.of("store_out");
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].start == run.of("load")[0].end + kControl);
  CHECK(run.result.pe.end == stores[0].end);
  CHECK(run.result.hbm_written == bursts * 256);
  return stores[0].end - stores[0].start;
}

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.1 one way is wire, router, wire, each wire rounded up once; requests and data take it once each") {
    CHECK(load_time(1) == kSetup + kRoundTrip);
    const auto way = [](const Overrides& overrides) {
      return load_time(1, overrides) - (kSetup + kBurst + kRead + kLink);
    };
    CHECK(way({"die.router.hop_latency=7ns"}) == 2 * Picoseconds{10 + 7000 + 20});
    CHECK(way({"die.wire.delay=0.333ns/mm", "die.wire.pe_to_router=1.1mm", "die.wire.hbm_to_router=0.7mm"}) ==
          2 * Picoseconds{367 + 2000 + 234});  // 366.3 and 233.1
  }

  TEST_CASE("4.9 bursts of one request each fill the channels, then follow each other on the links") {
    for (const std::int64_t bursts : {1, 2, 8, 9, 63, 64, 65, 200}) {
      CAPTURE(bursts);
      CHECK(load_time(bursts) == kSetup + kRoundTrip + (bursts - 1) * kLink);
    }
  }

  TEST_CASE("4.9 data are ready the read latency after their packet was served, and leave in the order of requests") {
    CHECK(load_time(8, {"die.hbm.read_latency=50ns"}) == load_time(8) + from_ns(18));
    // A packet of 8 bursts leaves when all are read: as late as its eighth, and takes the links for 8 ns.
    CHECK(load_time(8, {"simulation.packet_bytes=2048B"}) == load_time(8));
    CHECK(load_time(16, {"simulation.packet_bytes=4096B"}) == kSetup + kWay + 2 * kBurst + kRead + 16 * kLink + kWay);
  }

  TEST_CASE("4.9 data of a free channel wait for those requested before them") {
    const Observed run =
        simulate(milestone({"pe.control_latency=0ns", "pe.dma.setup_latency=0ns"}), [&](KernelPe pe) -> Process {
          // Channels 0, 0 and 1, all requested at time 0.
          for (const std::int64_t burst : {0, 8, 1}) static_cast<void>(co_await pe.load(run_of(1, burst)));
        });
    const auto loads = run.of("load");
    REQUIRE(loads.size() == 3);
    CHECK(loads[0].end == kRoundTrip);
    CHECK(loads[1].end == kRoundTrip + kBurst);
    CHECK(loads[2].end == kRoundTrip + kBurst + kLink);  // read 8 ns before the second
  }

  TEST_CASE("4.8 data enter the TCM through a port of its own bandwidth, and leave through another") {
    const Overrides slow_in = {"pe.tcm.write_bandwidth=128GB/s"};  // 2 ns a burst
    const Overrides slow_out = {"pe.tcm.read_bandwidth=128GB/s"};
    for (const std::int64_t bursts : {1, 8, 30}) {
      CAPTURE(bursts);
      CHECK(load_time(bursts, slow_in) == kSetup + kWay + kBurst + kRead + kWay + 2 * bursts * kLink);
      CHECK(load_time(bursts, slow_out) == load_time(bursts));
      CHECK(store_time(bursts, slow_out) == kSetup + 2 * bursts * kLink + kWay + kWay);
      CHECK(store_time(bursts, slow_in) == store_time(bursts));
    }
  }

  TEST_CASE("4.10 a write is acknowledged one way after it has been taken in, which is when its tail has come") {
    for (const std::int64_t bursts : {1, 2, 8, 9, 64, 65, 200}) {
      CAPTURE(bursts);
      CHECK(store_time(bursts) == kSetup + bursts * kLink + kWay + kWay);
    }
    CHECK(store_time(8, {"simulation.packet_bytes=2048B"}) == kSetup + 8 * kLink + kWay + kWay);
  }

  TEST_CASE("4.16 a write waits for room in the queues of its channels") {
    // 16 ns a burst: the ninth is for channel 0 again, 8 ns after the first has come.
    const auto time = [](std::int64_t bursts, const char* queue) {
      return store_time(
          bursts, {"die.hbm.bandwidth=128 GB/s", "die.hbm.write_batch=1", std::string("die.hbm.write_queue=") + queue});
    };
    const Picoseconds alone = kSetup + kLink + kWay + kWay;
    CHECK(time(8, "1") == alone + 7 * kLink);
    CHECK(time(9, "1") == alone + from_ns(16));
    CHECK(time(10, "1") == alone + from_ns(16) + kLink);
    CHECK(time(16, "2") == alone + 15 * kLink);
    CHECK(time(17, "2") == alone + 16 * kLink);  // the first has been written when the seventeenth comes
    CHECK(time(25, "2") == alone + from_ns(32));
  }

  TEST_CASE("4.5 a read right after a write on its channel waits for the turn-around") {
    // From when the write is taken in to when the next request is there.
    const Picoseconds until_read = kWay + kControl + kSetup + kWay;
    const auto with = [](Picoseconds turnaround) {
      const Observed run = simulate(milestone({"die.hbm.turnaround=" + std::to_string(turnaround.value) + "ps"}),
                                    [](KernelPe pe) -> Process {
                                      const Operand operand = co_await pe.load(run_of(1));
                                      co_await pe.wait(operand);
                                      co_await pe.wait(co_await pe.store(operand));
                                      co_await pe.wait(co_await pe.load(run_of(1)));
                                    });
      const OpRecord read = run.of("load").at(1);
      return read.end - read.start;
    };
    const Picoseconds enough = until_read - kBurst;
    CHECK(with(enough - Picoseconds{1}) == load_time(1));
    CHECK(with(enough) == load_time(1));
    CHECK(with(enough + Picoseconds{1}) == load_time(1) + Picoseconds{1});
  }

  TEST_CASE("4.11 an engine takes a transfer up when it is there and the one before has been issued, and sets it up") {
    const auto starts_of = [](std::int64_t bursts, const Overrides& overrides) {
      const Observed run = simulate(milestone(overrides), [&](KernelPe pe) -> Process {
        const Operand a = co_await pe.load(run_of(bursts));
        const Operand b = co_await pe.load(run_of(1, 256));
        co_await pe.wait(a);
        co_await pe.wait(b);
      });
      const auto loads = run.of("load");
      REQUIRE(loads.size() == 2);
      CHECK(loads[0].start == kControl);
      return std::pair{loads[1].start, loads[1].end};
    };
    // Submitted at 4 ns; the bursts of the first are issued at 6 ns, where there are credits.
    CHECK(starts_of(64, {}).first == kControl + kSetup);
    CHECK(starts_of(65, {}).first == kControl + kSetup + kRoundTrip);
    CHECK(starts_of(66, {}).first == kControl + kSetup + kRoundTrip + kLink);
    CHECK(starts_of(1, {"pe.dma.setup_latency=1ns"}).first == 2 * kControl);  // not before it is submitted
    CHECK(starts_of(1, {"pe.dma.setup_latency=2ns"}).first == 2 * kControl);
    CHECK(starts_of(1, {"pe.dma.setup_latency=2001ps"}).first == 2 * kControl + Picoseconds{1});
    // Its burst goes to channel 0, behind the first's: nothing else but the set-up separates them.
    CHECK(starts_of(1, {"pe.dma.setup_latency=20ns"}).second == kControl + 2 * from_ns(20) + kRoundTrip);
  }

  TEST_CASE("4.12 with c credits, burst c waits for the return of burst 0") {
    const Picoseconds slow_read = from_ns(200);  // the round trip is longer than 65 bursts on the link
    const Picoseconds round_trip = kRoundTrip - kRead + slow_read;
    const auto time = [&](std::int64_t bursts, std::int64_t credits) {
      return load_time(bursts, {"die.hbm.read_latency=200ns", "pe.dma.outstanding_bursts=" + std::to_string(credits)});
    };
    const Picoseconds sixty_four = kSetup + round_trip + 63 * kLink;
    CHECK(time(64, 64) == sixty_four);
    CHECK(time(64, 65) == sixty_four);
    CHECK(time(64, 63) == kSetup + 2 * round_trip);
    CHECK(time(65, 65) == sixty_four + kLink);
    CHECK(time(65, 64) == kSetup + 2 * round_trip);
    CHECK(time(65, 63) == kSetup + 2 * round_trip + kLink);
    CHECK(time(3 * 64 + 1, 64) == kSetup + 4 * round_trip);
    CHECK(time(10, 1) == kSetup + 10 * round_trip);
  }

  TEST_CASE("4.12 a packet takes the credits of all its bursts at once; writes have credits of their own") {
    const Overrides wide = {"simulation.packet_bytes=2048B", "pe.dma.outstanding_bursts=12"};
    const Picoseconds packet = kWay + kBurst + kRead + 8 * kLink + kWay;
    CHECK(load_time(8, wide) == kSetup + packet);
    CHECK(load_time(12, wide) == kSetup + packet + 4 * kLink);  // 8 + 4 credits
    CHECK(load_time(16, wide) == kSetup + 2 * packet);          // 4 credits are left, 8 are needed
    const Picoseconds write = kLink + kWay + kWay;
    CHECK(store_time(5, {"pe.dma.outstanding_bursts=1"}) == kSetup + 5 * write);
    CHECK(store_time(2, {"pe.dma.outstanding_bursts=2"}) == kSetup + write + kLink);
  }

  TEST_CASE("4.13 zero-load latency of a packet is the sum of its parts on any machine") {
    CHECK(rc::check("zero-load latency", [] {
      MachineSpec machine = milestone();
      const auto duration = [] { return Picoseconds{*rc::gen::inRange<std::int64_t>(0, 50'000)}; };
      const auto rate = [] { return Bandwidth{*rc::gen::inRange<std::int64_t>(1, 2000) * 1'000'000'001}; };
      machine.pe.control = duration();
      machine.pe.dma.setup = duration();
      machine.pe.tcm.write = rate();
      machine.die.router = {duration(), rate()};
      machine.die.wire.pe_to_router_um = *rc::gen::inRange<std::int64_t>(1, 5000);
      machine.die.wire.hbm_to_router_um = *rc::gen::inRange<std::int64_t>(1, 5000);
      machine.die.hbm.bandwidth = rate();
      machine.die.hbm.read_latency = duration();
      machine.simulation.packet = 2048;
      const auto bursts = *rc::gen::inRange<std::int64_t>(1, 9);
      const Observed run =
          simulate(machine, [&](KernelPe pe) -> Process { co_await pe.wait(co_await pe.load(run_of(bursts))); });
      const DieSpec& die = machine.die;
      const Picoseconds way =
          die.router.hop + die.wire.delay(die.wire.pe_to_router_um) + die.wire.delay(die.wire.hbm_to_router_um);
      const Picoseconds data =
          std::max(die.router.link.time_for(bursts * 256), machine.pe.tcm.write.time_for(bursts * 256));
      const OpRecord record = run.of("load").at(0);
      RC_ASSERT((record.end - record.start).value ==
                (machine.pe.dma.setup + way + die.hbm.burst_time() + die.hbm.read_latency + data + way).value);
    }));
  }
}

}  // namespace kernbench::memory_test
