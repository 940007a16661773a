// Which buffers are too small for the packets that a machine is simulated with.
#include "sim/plan/network/buffer_room.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::vector<std::string> warnings(const std::vector<std::string>& overrides = {}) {
  return buffer_warnings(milestone(overrides));
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.14 a buffer that holds no round trip is named, with what it holds, what it needs and the cure") {
    CHECK(warnings().empty());
    CHECK(warnings({"simulation.packet_bytes=4 KiB"}).empty());
    // Between dies: 16 ns there, 16 back, 5 at a switch, 2 ns a packet over one connection of 128 GB/s: 20 packets.
    const auto named = [](int packets) {
      return warnings({"package.die_to_die.buffer=" + std::to_string(256 * packets) + " B"});
    };
    CHECK(named(20).empty());
    REQUIRE_FALSE(named(19).empty());
    CHECK(named(19).front() ==
          "package.die_to_die.buffer: the buffers of the links between dies hold 19 packets of 256 B, and a flow stops "
          "for lack of room; expected at least 20: set package.die_to_die.buffer to 5 KiB or more");
    // On a die: 2 x 0.04 ns, 2 ns, 1 ns a packet: 4 packets of 256 B.
    CHECK(warnings({"die.router.buffer=1 KiB"}).empty());
    CHECK(warnings({"die.router.buffer=1023 B"}).size() == 1);
    // Between packages: 20 there, 20 back, 5, half a nanosecond: 91 packets.
    CHECK(warnings({"system.package_link.buffer=23296 B"}).empty());
    CHECK(warnings({"system.package_link.buffer=23295 B"}).size() == 1);
    CHECK(warnings({"system.package_link.buffer=23295 B", "system.packages.columns=1"}).empty());
  }
}
