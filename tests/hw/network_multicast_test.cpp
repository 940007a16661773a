// A packet with several receivers in networks small enough for mental arithmetic: 1 ps a byte.
#include <doctest/doctest.h>

#include "tests/hw/network_fixture.hpp"
#include "tests/hw/same_flight.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

/// To one endpoint, or to two at once.
Injection packet(std::int32_t from, const std::vector<std::int32_t>& to, std::int64_t at, Bytes bytes = 100) {
  Injection packet{from, to.front(), bytes, {{at}, {at}}, {0}};
  packet.also.assign(to.begin() + 1, to.end());
  return packet;
}

}  // namespace

TEST_SUITE("ADR-0065") {
  TEST_CASE("65.4 a packet goes once over what its routes have in common, and is where they lead at once") {
    const Star star;
    const Delivered delivered = deliver(star.made, {packet(star.a, {star.c, star.d}, 0)});
    CHECK(same(delivered.flights[0], 22, 122));
    CHECK(same(delivered.flights[1], 22, 122));
    const Delivered again =
        deliver(star.made, {packet(star.a, {star.c, star.d}, 0), packet(star.a, {star.c, star.d}, 0)});
    CHECK(same(again.flights[1], 122, 222));
    CHECK(same(again.flights[3], 122, 222));
  }

  TEST_CASE("65.5 a copy waits for its own link, and a late one does not hold the port") {
    const Star star;
    const auto behind = [&](Bytes of_b) {
      return deliver(star.made, {packet(star.b, {star.c}, 0, of_b), packet(star.a, {star.c, star.d}, 10),
                                 packet(star.a, {star.d}, 10)})
          .flights;
    };
    // b has the link to c until 115. The copy for d holds the port of a from 25 to 125, when the next packet comes.
    const std::vector<Flight> soon = behind(100);
    CHECK(same(soon[1], 122, 222));
    CHECK(same(soon[3], 32, 132));
    CHECK(same(soon[2], 132, 232));
    // Until 315: the next packet is first of its channel when the copy for c has left.
    const std::vector<Flight> late = behind(300);
    CHECK(same(late[1], 322, 422));
    CHECK(same(late[3], 32, 132));
    CHECK(same(late[2], 322, 422));
  }

  TEST_CASE("65.5 the room of a packet comes back when the last copy's tail is out") {
    const Line line(1);  // two packets
    // Both copies leave at 202, for d until 302, for c until 1202: the room is back at 1402, and the third packet goes
    // on.
    const Delivered delivered = deliver(
        line.made, {packet(line.a, {line.c, line.d}, 0), packet(line.a, {line.d}, 0), packet(line.a, {line.d}, 0)});
    CHECK(same(delivered.flights[0], 202, 1202));
    CHECK(same(delivered.flights[3], 202, 302));
    CHECK(same(delivered.flights[1], 302, 402));
    CHECK(same(delivered.flights[2], 1603, 1703));
  }
}
