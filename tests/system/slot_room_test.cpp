// How many slots a stream of messages needs, held against streams.
#include "sim/plan/network/slot_room.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"

using namespace kernbench;

namespace {

/// One long message from PE 0 to another one.
std::int64_t stream_time(const MachineSpec& machine, std::int32_t to, std::int64_t pieces) {
  const std::int64_t elements = pieces * machine.pe.message_queue.slot / kElementBytes;
  std::vector<CollectiveThread> threads(static_cast<std::size_t>(to) + 1);
  threads.front() = {send_to(to, elements)};
  threads.back() = {receive_from(0, elements)};
  return collective_numbers(machine, by_hand(elements, threads)).time;
}

/// What further pieces take, when a stream is under way.
std::int64_t time_of_pieces(MachineSpec machine, std::int32_t to, std::int64_t slots, std::int64_t pieces) {
  machine.pe.message_queue.slots = slots;
  return stream_time(machine, to, 4 * slots + pieces) - stream_time(machine, to, 4 * slots);
}

SlotRoom room_between(const MachineSpec& machine, std::int32_t to) {
  const NetworkPlan plan = plan_network(machine);
  const std::int32_t routers = plan.numbers.die_routers;
  return slot_room(plan, machine, plan.find(NodeKind::kPe, {0, 0, 0}),
                   plan.find(NodeKind::kPe, {to / routers, 0, to % routers}));
}

/// Two packages of one die with one PE, far from each other.
MachineSpec far_apart(const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"package.dies.rows=1",
                                     "package.dies.columns=1",
                                     "die.routers.rows=1",
                                     "die.routers.columns=1",
                                     "package.die_to_die.connections=1",
                                     "system.packages.columns=2",
                                     "system.package_link.bandwidth=32 GB/s",
                                     "system.package_link.latency=700 ns",
                                     "system.package_link.buffer=256 KiB"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return milestone(overrides);
}

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.20 with so many slots a stream keeps the slowest link at work, with one fewer it does not") {
    struct Stream {
      MachineSpec machine;
      std::int32_t to;
    };
    const std::vector<Stream> streams = {
        {one_die({"pe.vector.lanes=1024"}), 1},
        {one_die({"pe.message_queue.consumer=inline"}), 5},
        {one_die({"pe.message_queue.consumer=inline", "pe.message_queue.wake_latency=10 ns"}), 1},
        {one_die({"pe.message_queue.consumer=inline", "pe.tcm.write_bandwidth=128 GB/s"}), 1},
        {far_apart(), 1},
        {far_apart({"pe.message_queue.slot_bytes=1 KiB", "pe.message_queue.credit_bytes=0 B"}), 1},
    };
    for (const Stream& stream : streams) {
      const SlotRoom room = room_between(stream.machine, stream.to);
      CAPTURE(room.link);
      CAPTURE(room.slots);
      const Picoseconds piece = room.bandwidth.time_for(stream.machine.pe.message_queue.slot);
      REQUIRE(room.slots > 1);
      CHECK(time_of_pieces(stream.machine, stream.to, room.slots, 24) == 24 * piece.value);
      const std::int64_t fewer = room.slots - 1;
      CHECK(time_of_pieces(stream.machine, stream.to, fewer, 24 * fewer) == 24 * room.round_trip.value);
    }
  }

  TEST_CASE("19.20 a note names what slots hold, of which link, over which round trip, and how many would do") {
    const MachineSpec machine = far_apart({"pe.message_queue.slots=4"});
    const std::vector<std::string> notes = slot_notes(plan_network(machine), machine);
    const SlotRoom room = room_between(machine, 1);
    CHECK(room.link == "package0.switch -> package1.switch");
    CHECK(room.share == doctest::Approx(4 * 128.0 / room.round_trip.ns()));
    REQUIRE(notes.size() == 1);
    CHECK(notes.front().find("4 slots of 4 KiB hold 16 KiB in flight from package0.die0.pe0 to package1.die0.pe0: 31 % "
                             "of the link package0.switch -> package1.switch (32 GB/s over a round trip of ") !=
          std::string::npos);
    CHECK(notes.front().find("); " + std::to_string(room.slots) + " slots would do") != std::string::npos);
    CHECK(
        slot_notes(plan_network(machine), far_apart({"pe.message_queue.slots=" + std::to_string(room.slots)})).empty());
  }
}
