// The packet router's rules one by one, in networks small enough for mental arithmetic: 1 ps a byte.
#include <doctest/doctest.h>

#include "tests/hw/network_fixture.hpp"
#include "tests/hw/same_flight.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

constexpr Bandwidth kTwo{2'000'000'000'000};  // half a picosecond

Injection packet(std::int32_t from, std::int32_t to, std::int64_t at, Bytes bytes = 100) {
  return {from, to, bytes, {{at}, {at}}, {0}};
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.1 the head leaves a router a hop after its arrival; the tail no earlier than it came") {
    const Star star;
    CHECK(same(deliver(star.made, {packet(star.a, star.c, 0)}).flights[0], 22, 122));
    const Star fast(kTwo);
    CHECK(same(deliver(fast.made, {packet(fast.a, fast.c, 0)}).flights[0], 22, 122));
    const Star slow(kSlow);
    CHECK(same(deliver(slow.made, {packet(slow.a, slow.c, 0)}).flights[0], 22, 1022));
  }

  TEST_CASE("17.2 a packet waits until the link is free, to the picosecond") {
    const Star star;
    // The first packet holds the link to c from 15 to 115; the second one's head is ready for it at `at` + 15.
    const auto second = [&](std::int64_t at) {
      return deliver(star.made, {packet(star.a, star.c, 0), packet(star.b, star.c, at)}).flights[1];
    };
    CHECK(same(second(99), 122, 222));
    CHECK(same(second(100), 122, 222));
    CHECK(same(second(101), 123, 223));
  }

  TEST_CASE("17.4 a packet enters a link when its buffer has room for all of it; two packets always fit") {
    // p1 leaves the second router from 202 to 1202, its room is back at 1402; p3 then enters, and leaves at 1603.
    const auto third = [](Bytes buffer) {
      const Line line(buffer);
      return deliver(line.made, {packet(line.a, line.c, 0), packet(line.a, line.c, 0), packet(line.a, line.d, 0)})
          .flights[2];
    };
    CHECK(same(third(1), 1603, 1703));
    CHECK(same(third(299), 1603, 1703));
    CHECK(same(third(300), 1302, 1402));  // it is there, behind p2, which holds the input port until then
  }

  TEST_CASE("17.4 room comes back in the order of the packets") {
    const Line line(200);
    // p2 has left at 402; its room comes back with that of p1, which takes until 1202.
    const Delivered delivered =
        deliver(line.made, {packet(line.a, line.c, 0), packet(line.a, line.d, 0), packet(line.a, line.d, 0)});
    CHECK(same(delivered.flights[1], 302, 402));
    CHECK(same(delivered.flights[2], 1603, 1703));
  }

  TEST_CASE("17.5 an input port is held for the time of its own link, not of a slower output") {
    const Star star(kSlow);
    const Delivered delivered = deliver(star.made, {packet(star.a, star.c, 0), packet(star.a, star.d, 0)});
    CHECK(same(delivered.flights[0], 22, 1022));
    CHECK(same(delivered.flights[1], 122, 222));
    // Two packets that wait for the same link: the one behind them is held for 100 ps after the second has left.
    const Delivered behind =
        deliver(star.made, {packet(star.a, star.c, 0), packet(star.a, star.c, 0), packet(star.a, star.d, 0)});
    CHECK(same(behind.flights[1], 1022, 2022));
    CHECK(same(behind.flights[2], 1122, 1222));
  }

  TEST_CASE("17.5 credits neither wait for a port that is held nor hold it") {
    // The port of a feeds data to d from 15 to 115, from 115 to 215 and so on; b has the link to c from 65 to 165.
    const Star star;
    Injection credit = packet(star.a, star.c, 0, 10);
    credit.network = VirtualNetwork::kCredits;
    const auto with = [&](const Injection& of_a) {
      return deliver(star.made, {packet(star.a, star.d, 0), of_a, packet(star.a, star.d, 0), packet(star.a, star.d, 0),
                                 packet(star.b, star.c, 50)})
          .flights;
    };
    // It enters the link of a first; the data behind it leave at 25.
    const std::vector<Flight> first = with(credit);
    CHECK(same(first[1], 22, 32));
    CHECK(same(first[0], 32, 132));
    CHECK(same(first[2], 132, 232));
    // Called at 30, it is the next on the link of a, from 100 on, and at the router at 115: c is b's until 165.
    credit.ready = {{30}, {30}};
    credit.called_at = {30};
    const std::vector<Flight> late = with(credit);
    CHECK(same(late[0], 22, 122));
    CHECK(same(late[1], 172, 182));
    CHECK(same(late[2], 132, 232));
    CHECK(same(late[3], 232, 332));
  }

  TEST_CASE("17.6 inputs that ask for one link have it in turn") {
    HandMadeNetwork made;
    const std::int32_t router = made.router({10});
    std::vector<std::int32_t> sources;
    for (int i = 0; i < 3; ++i) {
      sources.push_back(made.endpoint());
      made.link(sources.back(), router, kOne, {5}, kAmple);
    }
    const std::int32_t to = made.endpoint();
    made.link(router, to, kOne, {7}, 0);
    std::vector<Injection> packets;
    for (const std::int32_t source : sources) {
      for (int i = 0; i < 3; ++i) packets.push_back(packet(source, to, 0));
    }
    CHECK(deliver(made, packets).order == std::vector<std::uint64_t>{0, 3, 6, 1, 4, 7, 2, 5, 8});
    // The turn goes on from the input served last, and passes over those that do not ask.
    CHECK(deliver(made, {packet(sources[1], to, 0), packet(sources[0], to, 50), packet(sources[2], to, 50)}).order ==
          std::vector<std::uint64_t>{0, 2, 1});
  }

  TEST_CASE("17.7 a router decides about an instant when all that is announced at that instant is known") {
    HandMadeNetwork made;
    const std::int32_t router = made.router({});
    const std::int32_t a = made.endpoint();
    const std::int32_t b = made.endpoint();
    const std::int32_t to = made.endpoint();
    made.link(b, router, kOne, {}, kAmple);  // the lower number: its turn
    made.link(a, router, kOne, {}, kAmple);
    made.link(router, to, kOne, {}, 0);
    const auto first = [&](std::int64_t b_told_at) {
      Injection of_b = packet(b, to, b_told_at);
      of_b.called_at = {b_told_at};
      return deliver(made, {packet(a, to, 50), of_b}).order.front();
    };
    CHECK(first(49) == 1);
    CHECK(first(50) == 1);
    CHECK(first(51) == 0);
  }
}
