// Links and TCM ports: cut-through of a packet's head, waiting for the packet before, and two links of different speed
// in a row.
#include "sim/hw/link/link.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/hw/pe/tcm_link.hpp"
#include "tests/hw/same_flight.hpp"

using namespace kernbench;

namespace {

constexpr Bandwidth kSlowLink{256'000'000'000};  // 256 bytes in 1 ns
constexpr Bandwidth kFastLink{512'000'000'000};

/// A second packet of 256 bytes, there head and tail at `at`, on a link that is busy until 1000 ps.
Flight second(std::int64_t at) {
  Link link("link", kSlowLink, {300});
  (void)link.carry({}, 256);
  return link.carry({{at}, {at}}, 256);
}

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.7 a packet enters at once on a free link, or when the one before has entered") {
    CHECK(same(Link("link", kSlowLink, {300}).carry({{5000}, {5000}}, 256), 5300, 6300));
    CHECK(same(second(999), 1300, 2300));
    CHECK(same(second(1000), 1300, 2300));
    CHECK(same(second(1001), 1301, 2301));
  }

  TEST_CASE("4.7 the head goes through at once; the tail leaves with the slower of the links") {
    Link slow("slow", kSlowLink, {300});
    Link fast("fast", kFastLink, {70});
    CHECK(same(Path({&fast, &slow}).carry({}, 256), 370, 1370));
    // The fast link comes second: it gets the tail when the slow one has sent it, and is free no earlier.
    Link slow_first("slow", kSlowLink, {300});
    Link fast_second("fast", kFastLink, {70});
    const Path path({&slow_first, &fast_second});
    CHECK(same(path.carry({}, 256), 370, 1370));
    CHECK(same(path.carry({}, 256), 1370, 2370));
    CHECK(same(fast_second.carry({{2299}, {2299}}, 256), 2370, 2870));
  }

  TEST_CASE("4.7 a duration is rounded up once, and a port is a link without latency") {
    Link port("port", {3'000'000'000'000}, {});
    CHECK(same(port.carry({}, 256), 0, 86));  // 85 and a third
    CHECK(same(port.carry({}, 256), 86, 172));
    CHECK(same(port.carry({}, 512), 172, 343));
    CHECK(port.busy() == Picoseconds{343});
  }

  TEST_CASE("4.7 packets of any size and time cross in order, none early and none later than it must") {
    CHECK(rc::check("order and causality", [] {
      const Bandwidth bandwidth{*rc::gen::inRange<std::int64_t>(1, 2000) * 1'000'000'000};
      const Picoseconds latency{*rc::gen::inRange<std::int64_t>(0, 3000)};
      Link link("link", bandwidth, latency);
      Picoseconds head{};
      Picoseconds free{};
      for (int i = 0; i < 20; ++i) {
        head += {*rc::gen::inRange<std::int64_t>(0, 3000)};
        const Picoseconds tail = head + Picoseconds{*rc::gen::inRange<std::int64_t>(0, 3000)};
        const Bytes bytes = *rc::gen::inRange<Bytes>(1, 5000);
        const Flight out = link.carry({head, tail}, bytes);
        const Picoseconds start = out.head - latency;
        const Picoseconds entered = out.tail - latency;
        const Picoseconds full = start + bandwidth.time_for(bytes);
        RC_ASSERT(start >= head);
        RC_ASSERT(start >= free);
        RC_ASSERT((start == head || start == free));
        RC_ASSERT(entered >= full);
        RC_ASSERT(entered >= tail);
        RC_ASSERT((entered == full || entered == tail));
        free = entered;
      }
    }));
  }

  TEST_CASE("4.19 a TCM port takes packets in the order of their arrival, and holds whoever announces them to it") {
    TcmLink port("tcm_write", kFastLink);
    CHECK(same(port.carry({{100}, {100}}, 512), 100, 1100));
    CHECK(same(port.carry({{100}, {2000}}, 512), 1100, 2100));
    CHECK(same(port.carry({{5000}, {5000}}, 512), 5000, 6000));
    CHECK_THROWS_WITH_AS(port.carry({{4999}, {4999}}, 512),
                         doctest::Contains("tcm_write: a packet is announced behind one that arrives later"),
                         InvariantError);
  }
}
