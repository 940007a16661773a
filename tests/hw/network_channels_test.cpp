// The network as a whole: virtual channels and their classes, wake-ups, deadlock, totals.
#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "sim/base/random.hpp"
#include "tests/hw/network_fixture.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

constexpr Bandwidth kSlowest{10'000'000'000};  // 100 ps a byte

/// Three routers in a row; x goes from the first to a slow destination at the third, y from the second to a fast one.
struct Row {
  Row(std::int64_t virtual_channels, std::int64_t classes, bool dateline) : made(virtual_channels) {
    made.plan.classes = classes;
    made.link(x, first, kOne, {}, kAmple);
    made.link(y, second, kOne, {}, kAmple);
    made.plan.links[static_cast<std::size_t>(made.link(first, second, kOne, {}, 100))].dateline = dateline;
    made.link(second, third, kOne, {}, 100);
    made.link(third, slow, kSlowest, {}, 0);
    made.link(third, fast, kOne, {}, 0);
  }

  /// When y's packet arrives, which is sent after four of x have filled the buffers.
  [[nodiscard]] Picoseconds arrival() const {
    std::vector<Injection> packets(4, {x, slow, 100, {}, {}});
    packets.push_back({y, fast, 100, {{1000}, {1000}}, {}});
    return deliver(made, packets).flights.back().head;
  }

  HandMadeNetwork made;
  std::int32_t first = made.router({1});
  std::int32_t second = made.router({1});
  std::int32_t third = made.router({1});
  std::int32_t x = made.endpoint();
  std::int32_t y = made.endpoint();
  std::int32_t slow = made.endpoint();  // 5
  std::int32_t fast = made.endpoint();  // 6
};

/// A ring of four routers with links one way, each with an endpoint that sends six packets three routers on.
Delivered around_a_ring(std::int64_t virtual_channels, bool dateline) {
  HandMadeNetwork made(virtual_channels);
  made.plan.classes = virtual_channels;
  for (int i = 0; i < 4; ++i) made.router({1});
  for (int i = 0; i < 4; ++i) {
    made.endpoint();
    made.connect(4 + i, i, kOne, {}, 100);
  }
  for (int i = 0; i < 4; ++i) {
    const std::int32_t link = made.link(i, (i + 1) % 4, kOne, {10}, 100);
    made.plan.links[static_cast<std::size_t>(link)].dateline = dateline && i == 3;
  }
  std::vector<Injection> packets;
  packets.reserve(24);
  for (int i = 0; i < 24; ++i) packets.push_back({4 + i % 4, 4 + (i + 3) % 4, 100, {}, {}});
  return deliver(made, packets);
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.8 a destination's number chooses the virtual channel: others pass a packet that waits") {
    CHECK(Row(1, 1, false).arrival() > from_ns(10));         // behind packets of 10 ns each
    CHECK(Row(2, 1, false).arrival() == Picoseconds{1002});  // 5 / 2 and 6 / 2 differ modulo 2
  }

  TEST_CASE("17.8 a dateline leads into the virtual channels of class 1") {
    CHECK(Row(2, 2, false).arrival() > from_ns(10));
    CHECK(Row(2, 2, true).arrival() == Picoseconds{1002});
  }

  TEST_CASE("17.8 credits have a virtual channel of their own, whatever data wait on the way") {
    for (const std::int64_t channels : {1, 2}) {
      const Row row(channels, 1, false);
      std::vector<Injection> packets(4, {row.x, row.slow, 100, {}, {}});
      packets.push_back({row.x, row.fast, 16, {{1000}, {1000}}, {}, VirtualNetwork::kCredits});
      // Three routers, a picosecond each, no wires: nothing else holds it up.
      CHECK(deliver(row.made, packets).flights.back().head == Picoseconds{1003});
    }
  }

  TEST_CASE("17.9 a credit enters a PE's link before data that are handed over later, or wait there") {
    const Row row(1, 1, false);
    const auto entered = [&](std::int64_t at) {
      // Data are told of beforehand: the heads leave the TCM at 0, 100, 200; the link is free at 100, 200, 300.
      const std::vector<Injection> packets = {{row.y, row.fast, 100, {{0}, {100}}, {}},
                                              {row.y, row.fast, 100, {{100}, {200}}, {}},
                                              {row.y, row.fast, 100, {{200}, {300}}, {}},
                                              {row.y, row.fast, 10, {{at}, {at}}, {at}, VirtualNetwork::kCredits}};
      return deliver(row.made, packets).flights;
    };
    // Two routers of a picosecond.
    CHECK(entered(0)[3].head == Picoseconds{2});
    CHECK(entered(0)[0].head == Picoseconds{12});
    CHECK(entered(1)[3].head == Picoseconds{102});  // behind the one that is on the link, not behind the next ones
    CHECK(entered(100)[3].head == Picoseconds{102});
    CHECK(entered(101)[3].head == Picoseconds{202});
    CHECK(entered(101)[2].head == Picoseconds{212});
  }

  TEST_CASE("17.11 a circle of waiting packets is told, node by node") {
    const Delivered stuck = around_a_ring(1, false);
    CHECK(stuck.order.size() < 24);
    for (const char* part :
         {"network: ", "node0 has a packet for node", " that waits for node0->node1, virtual channel 0"}) {
      CHECK_MESSAGE(stuck.waiting.find(part) != std::string::npos, stuck.waiting);
    }
    // With a class of virtual channels behind a dateline nobody waits.
    const Delivered through = around_a_ring(2, true);
    CHECK(through.order.size() == 24);
    CHECK(through.waiting.empty());
  }

  TEST_CASE("17.12 latency is hops and wires; totals count what entered each link") {
    const std::string text = forked([] {
      const Row row(1, 1, false);
      Calendar calendar("calendar");
      Network network("network", calendar, row.made.plan, row.made.routing());
      Deliveries arrivals(2);
      network.inject({row.x, row.slow, 100, &arrivals, 0}, {});
      network.inject({row.x, row.fast, 50, &arrivals, 1}, {});
      calendar.run();
      std::ostringstream out;
      out << network.latency(row.x, row.fast).value << ' ' << network.latency(row.y, row.fast).value;
      for (const LinkTotals& link : network.totals()) {
        out << ", " << link.packets << ' ' << link.bytes << ' ' << link.busy.value;
      }
      out << ", " << network.packet_hops();
      return out.str();
    });
    CHECK(text == "3 2, 2 150 150, 0 0 0, 2 150 150, 2 150 150, 1 100 10000, 1 50 50, 8");
  }

  TEST_CASE("17.10 about one wake-up for a packet at a router, and one where it enters, under load too") {
    // A 4 x 4 mesh whose 16 endpoints send to any other as fast as they can.
    HandMadeNetwork made(2);
    constexpr std::int32_t kSide = 4;
    for (int i = 0; i < kSide * kSide; ++i) made.router({200});
    for (std::int32_t i = 0; i < kSide * kSide; ++i) {
      made.connect(made.endpoint(), i, kOne, {20}, 4096);
      if (i % kSide > 0) made.connect(i, i - 1, kOne, {40}, 4096);
      if (i >= kSide) made.connect(i, i - kSide, kOne, {40}, 4096);
    }
    // Along the row, then along the column, as no circle does.
    const Network::Routing shortest = made.routing();
    const Network::Routing rows_first = [&](std::int32_t router, std::int32_t destination, std::int32_t as) {
      const std::int32_t to = destination - kSide * kSide;
      if (to == router) return shortest(router, destination, as);
      const std::int32_t corner = router / kSide * kSide + to % kSide;
      const std::int32_t step = corner > router ? 1 : corner < router ? -1 : to > router ? kSide : -kSide;
      for (std::size_t i = 0;; ++i) {
        if (made.plan.links[i].from == router && made.plan.links[i].to == router + step) {
          return static_cast<std::int32_t>(i);
        }
      }
    };
    const std::string text = forked([&] {
      Calendar calendar("calendar");
      Network network("network", calendar, made.plan, rows_first);
      Deliveries arrivals(8000);
      Random random(1);
      for (std::uint64_t i = 0; i < 8000; ++i) {
        const auto from = static_cast<std::int32_t>(i % 16);
        network.inject({16 + from, 16 + static_cast<std::int32_t>(random.below(16)), 256, &arrivals, i}, {});
      }
      calendar.run();
      std::ostringstream out;
      out << arrivals.order.size() << ' ' << network.packet_hops() << ' ' << calendar.wakeups();
      return out.str();
    });
    std::istringstream in(text);
    std::int64_t arrived = 0;
    std::int64_t at_routers = 0;
    std::int64_t wakeups = 0;
    in >> arrived >> at_routers >> wakeups;
    CHECK(arrived == 8000);
    CHECK(static_cast<double>(wakeups) < 1.25 * static_cast<double>(at_routers));
    MESSAGE(wakeups << " wake-ups for " << at_routers << " packets at routers");
  }
}

TEST_CASE("an endpoint with two links to routers is refused") {
  CHECK_THROWS_AS(forked([] {
                    HandMadeNetwork made;
                    const std::int32_t router = made.router({});
                    const std::int32_t endpoint = made.endpoint();
                    made.connect(router, endpoint, kOne, {}, 0);
                    made.connect(router, endpoint, kOne, {}, 0);
                    Calendar calendar("calendar");
                    const Network network("network", calendar, made.plan, made.routing());
                    return std::string();
                  }),
                  std::runtime_error);
}
