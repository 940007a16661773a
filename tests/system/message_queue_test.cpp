// Message queues between two neighbouring PEs: each time is the sum of its parts, to the picosecond.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"

namespace kernbench::message_queue_test {
namespace {

// Of the committed machine: one die, PE 0 sends to PE 1. All times in picoseconds.
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kWay = 10 + 2000 + 40 + 2000 + 10;  // wire, router, wire, router, wire
constexpr std::int64_t kWake = 2000;
constexpr std::int64_t kVectorLatency = 4000;

/// Times of `bytes` on a link of 256 GB/s, and in the vector unit.
std::int64_t link(std::int64_t bytes) { return ceil_mul_div(bytes, 1000, 256); }
std::int64_t vector(std::int64_t bytes) { return ceil_div(bytes / 2, 128) * 1000; }

/// One message of `bytes` from PE 0 to PE 1.
CollectiveSchedule one_message(std::int64_t bytes) {
  return by_hand(bytes / 2, {{send_to(1, bytes / 2)}, {receive_from(0, bytes / 2)}});
}

std::int64_t message_time(std::int64_t bytes, const std::vector<std::string>& overrides = {}) {
  return collective_numbers(one_die(overrides), one_message(bytes)).time;
}

/// Until the message's tail is in the receiver's TCM.
std::int64_t landed(std::int64_t bytes) { return kControl + kSetup + kWay + link(bytes); }

const std::string kInline = "pe.message_queue.consumer=inline";

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.5 a message is a DMA transfer of its own bytes over the network") {
    for (const std::int64_t bytes : {2, 16, 254, 256, 258, 1000, 4096}) {
      CAPTURE(bytes);
      CHECK(message_time(bytes, {kInline}) == landed(bytes) + kWake);
      const CollectiveNumbers numbers = collective_numbers(one_die({kInline}), one_message(bytes));
      const std::int64_t packets = ceil_div(bytes, 256);
      CHECK(numbers.sent == bytes);
      CHECK(numbers.link_bytes == 3 * bytes + 3 * 16);  // and a credit back
      CHECK(numbers.packet_hops == 3 * packets + 3);
    }
    // A port that is slower than the link shows, whichever side it is on.
    const std::string slow_read = "pe.tcm.read_bandwidth=128 GB/s";
    const std::string slow_write = "pe.tcm.write_bandwidth=128 GB/s";
    CHECK(message_time(4096, {kInline, slow_read}) == landed(8192) + kWake);
    CHECK(message_time(4096, {kInline, slow_write}) >= landed(8192) + kWake);
  }

  TEST_CASE("19.8 the vector unit takes a piece out after it was noticed; the last result is its latency later") {
    for (const std::int64_t bytes : {2, 256, 258, 4096}) {
      CAPTURE(bytes);
      CHECK(message_time(bytes) == landed(bytes) + kWake + vector(bytes) + kVectorLatency);
    }
    // Reducing costs what copying costs.
    CHECK(collective_numbers(one_die(), by_hand(128, {{send_to(1, 128)}, {reduce_from(0, 128)}})).time ==
          message_time(256));
  }

  TEST_CASE("19.4 who waits goes on after the wake-up, or at the next look; who finds it there goes on at once") {
    const std::int64_t there = landed(256);
    const auto poll = [&](std::int64_t interval) {
      return message_time(256, {kInline, "pe.message_queue.wait=poll",
                                "pe.message_queue.poll_interval=" + std::to_string(interval) + " ps"});
    };
    CHECK(poll(1) == there);
    CHECK(poll(there) == there);                // a look at the very instant
    CHECK(poll(there - 1) == 2 * (there - 1));  // one picosecond too early
    CHECK(poll(there + 1) == there + 1);
    CHECK(message_time(256, {kInline, "pe.message_queue.wake_latency=0 ns"}) == there);
    // A receiver that comes later than the message: a copy keeps it busy until then.
    CollectiveStep copy{.kind = StepKind::kCopy, .first = 0, .count = 12800, .from = 12800};
    const std::int64_t busy = kControl + 100'000 + kVectorLatency;
    const CollectiveSchedule late = by_hand(25600, {{send_to(1, 128)}, {copy, receive_from(0, 128)}});
    CHECK(collective_numbers(one_die(), late).time == busy + kControl + vector(256) + kVectorLatency);
    // Inline a copy takes no time (19.11): only its step at the control processor.
    CHECK(collective_numbers(one_die({kInline}), late).time ==
          collective_numbers(one_die({kInline}), by_hand(25600, {{send_to(1, 128)}, {receive_from(0, 128)}})).time);
  }

  TEST_CASE("19.2 pieces of a message follow each other through the slots") {
    // Three pieces: the posting of the next overlaps the way of the one before; the link is what limits.
    // The last piece is there just when the receiver has woken up for the one before, or a little later.
    CHECK(message_time(2 * 4096 + 512, {kInline}) == landed(2 * 4096 + 512));
    CHECK(message_time(2 * 4096 + 514, {kInline}) == landed(2 * 4096 + 514) + kWake);
    // Smaller slots: as many set-ups, one after the other, hidden behind the link as long as a piece is longer.
    CHECK(message_time(4096, {kInline, "pe.message_queue.slot_bytes=1 KiB"}) == landed(4096) + kWake);
    CHECK(message_time(4096, {kInline, "pe.message_queue.slot_bytes=512 B", "pe.message_queue.slots=8"}) ==
          kControl + 8 * kSetup + kWay + link(512) + kWake);
  }

  TEST_CASE("19.3 with one slot each piece waits for the credit of the one before") {
    const std::int64_t credit = kWay + link(16);
    const std::int64_t piece = kSetup + kWay + link(4096) + kWake;
    for (const std::int64_t pieces : {1, 2, 5}) {
      CAPTURE(pieces);
      CHECK(message_time(4096 * pieces, {kInline, "pe.message_queue.slots=1"}) ==
            kControl + pieces * piece + (pieces - 1) * (credit + kWake));
      CHECK(message_time(4096 * pieces, {kInline, "pe.message_queue.slots=1", "pe.message_queue.credit_bytes=0 B"}) ==
            kControl + pieces * piece + (pieces - 1) * (kWay + kWake));
    }
    // Two slots: pieces go in pairs as long as a credit's round trip is longer than a piece on the link.
    const std::int64_t two = message_time(4096 * 4, {kInline, "pe.message_queue.slots=2"});
    const std::int64_t one = message_time(4096 * 4, {kInline, "pe.message_queue.slots=1"});
    const std::int64_t four = message_time(4096 * 4, {kInline});
    CHECK(four < two);
    CHECK(two < one);
    CHECK(four == landed(4 * 4096) + kWake);
  }

  TEST_CASE("19.3 a credit does not wait behind data that its sender still has in its TCM") {
    // Twenty small messages one way, each of which needs the credit of the one before; the other way one piece of 64
    // KiB, which leaves the TCM for 256 ns.
    CollectiveThread small;
    CollectiveThread back;
    for (int i = 0; i < 20; ++i) {
      small.push_back(send_to(1, 1, 32768));
      back.push_back(receive_from(0, 1, 32768));
    }
    const MachineSpec machine = one_die({kInline, "pe.message_queue.slots=1", "pe.message_queue.slot_bytes=64 KiB"});
    const std::int64_t alone = collective_numbers(machine, by_hand(32769, {small, back})).time;
    back.insert(back.begin(), send_to(0, 32768));
    CollectiveSchedule both = by_hand(32769, {small, back});
    both.ranks[0].push_back({receive_from(1, 32768)});
    const std::int64_t beside = collective_numbers(machine, both).time;
    // At most a packet of 256 B on each of the three links is before a credit; and the steps share control processors.
    CHECK(beside - alone <= 20 * 3 * link(256) + 2 * kControl);
    CHECK(beside - alone < link(65536) / 2);
  }

  TEST_CASE("19.8 while a receiver waits and wakes up the vector unit works for others") {
    // One thread's piece is there at once, but it goes on 500 ns later; the other thread copies ten times 100 ns.
    CollectiveStep copy{.kind = StepKind::kCopy, .first = 0, .count = 12800, .from = 12800};
    CollectiveSchedule schedule = by_hand(25600, {{receive_from(1, 1)}, {send_to(0, 1)}});
    schedule.ranks[0].push_back(CollectiveThread(10, copy));
    const std::int64_t step = kControl + 100'000 + kVectorLatency;
    CHECK(collective_numbers(one_die({"pe.message_queue.wake_latency=500 ns"}), schedule).time == kControl + 10 * step);
    // Not so where it goes on while a copy has the unit: at 10.07 + 2 ns, and then it is there for the copy after that.
    const std::int64_t asks = landed(2) + kWake;
    CHECK(asks < 2 * kControl + 100'000);
    CHECK(collective_numbers(one_die(), schedule).time == kControl + 10 * step);
  }

  TEST_CASE("19.12 at one instant the thread with the lower number comes first") {
    // Both threads want the control processor at 0 and the vector unit at no instant together: the longer copies are
    // done last, whichever thread has them, and twice the control latency late in the second.
    CollectiveStep short_copy{.kind = StepKind::kCopy, .first = 0, .count = 128, .from = 12800};
    CollectiveStep long_copy{.kind = StepKind::kCopy, .first = 0, .count = 12800, .from = 12800};
    const auto time = [&](const CollectiveStep& first, const CollectiveStep& second) {
      CollectiveSchedule schedule = by_hand(25600, {{first}});
      schedule.ranks[0].push_back({second});
      return collective_numbers(one_die({"pe.control_latency=0 ns"}), schedule).time;
    };
    // Both ask the vector unit at 0: 100 cycles and 1, in the order of the threads.
    CHECK(time(long_copy, short_copy) == 101'000 + kVectorLatency);
    CHECK(time(short_copy, long_copy) == 101'000 + kVectorLatency);
    const auto ends = [&](const CollectiveStep& first, const CollectiveStep& second) {
      CollectiveSchedule schedule = by_hand(25600, {{first, long_copy}});
      schedule.ranks[0].push_back({second});
      return collective_numbers(one_die({"pe.control_latency=0 ns"}), schedule).time;
    };
    // The first thread's next copy begins when its first one can be used: at 5, behind the long one, or at 104, when
    // the unit has been free for 3.
    CHECK(ends(short_copy, long_copy) == 201'000 + kVectorLatency);
    CHECK(ends(long_copy, short_copy) == 204'000 + kVectorLatency);
  }

  TEST_CASE("19.7 slots in SRAM: written there, and read from there by the DMA engine") {
    // The SRAM hangs off router 0, on PE 0's side: one router there, two routers from there to PE 1.
    const std::int64_t to_sram = 10 + 2000 + 20;
    const std::int64_t from_sram = 20 + 2000 + 40 + 2000 + 10;
    const std::int64_t access = ceil_mul_div(256, 1000, 128) + 10'000;
    const std::int64_t in_sram = kControl + kSetup + to_sram + link(256) + access;
    const std::int64_t fetch = kSetup + from_sram + access + from_sram + link(256);
    CHECK(message_time(256, {kInline, "pe.message_queue.tier=sram"}) == in_sram + fetch + kWake);
  }

  TEST_CASE("19.6 slots in HBM: taken in there, and read from there by the DMA engine") {
    const std::int64_t to_hbm = 10 + 2000 + 40 + 2000 + 20;
    const std::int64_t own = 10 + 2000 + 20;
    const std::int64_t burst = 8000;
    const std::int64_t in_hbm = kControl + kSetup + to_hbm + link(256);
    // The idle channel has begun to write when the request comes, and turns around.
    const std::int64_t fetch = burst + 16'000 + burst + 32'000 + own + link(256);
    CHECK(message_time(256, {kInline, "pe.message_queue.tier=hbm"}) == in_hbm + fetch + kWake);
    // Half a burst: its own bytes on the way there, the whole burst in the memory and on the way back.
    CHECK(message_time(128, {kInline, "pe.message_queue.tier=hbm"}) == in_hbm - link(256) + link(128) + fetch + kWake);
  }

  TEST_CASE("19.1 the slots of a receiver's queues lie one after the other in its HBM") {
    // Two senders at the same distance: their slots begin on channels 0 and 4 * 16 = 0 mod 8, so that a burst of
    // each meets on a channel; with slots of 9 bursts (36 in all) they begin on 0 and 4, and pass side by side.
    const auto time = [&](const std::string& slot) {
      const CollectiveSchedule two =
          by_hand(128, {{send_to(1, 128)}, {receive_from(0, 128), receive_from(2, 128)}, {send_to(1, 128)}});
      return collective_numbers(one_die({kInline, "pe.message_queue.tier=hbm", "pe.message_queue.slot_bytes=" + slot}),
                                two)
          .time;
    };
    CHECK(time("4 KiB") > time("2304 B"));
    CHECK(time("2304 B") == time("2050 B"));  // a slot begins at a burst
  }

  TEST_CASE("19.15 a receive of another length than was sent is an error that names both sides") {
    const auto error = [](std::int64_t sent, std::int64_t received) {
      return collective_error(one_die(), by_hand(8192, {{send_to(1, sent), send_to(1, 1024)},
                                                        {receive_from(0, received), receive_from(0, 1024)}}));
    };
    CHECK(error(96, 96).empty());
    CHECK(error(4096, 4096).empty());
    // Shorter, longer, and longer by a piece that belongs to the next message.
    for (const std::int64_t received : {64, 97, 2048 + 64, 4096 + 1024}) {
      const std::int64_t sent = received > 2048 ? 4096 : 96;
      CAPTURE(received);
      CHECK(error(sent, received) == "queue 0 -> 1 (0): the sender's next message has " + std::to_string(2 * sent) +
                                         " bytes, the receiver takes one of " + std::to_string(2 * received) +
                                         "; both sides of a queue name the same messages in the same order");
    }
  }
}

}  // namespace kernbench::message_queue_test
