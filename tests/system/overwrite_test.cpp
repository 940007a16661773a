// What a rank overwrites while its earlier sends have still to read it: it waits for just that, to the picosecond.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/hw/pe/transfer.hpp"
#include "sim/hw/pe/vector_unit.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"

namespace kernbench::overwrite_test {
namespace {

// Of the committed machine with a TCM that is read at 16 GB/s: 512 elements, a piece, leave in 64 ns. In picoseconds.
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kWay = 10 + 2000 + 40 + 2000 + 10;  // wire, router, wire, router, wire
constexpr std::int64_t kPiece = 512;
constexpr std::int64_t kPieceLeaves = 64'000;
/// Until an element that PE 1 sends as its first step is in PE 0's TCM.
constexpr std::int64_t kElementLands = kControl + kSetup + 125 + kWay;

const CollectiveSettings kIntegers{.values = CollectiveValues::kIntegers};

MachineSpec slow_tcm(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"pe.tcm.read_bandwidth=16 GB/s", "pe.message_queue.slot_bytes=1 KiB"});
  return one_die(std::move(more));
}

/// What PE 0 did: when its vector unit began to work, and when its reader had brought something into TCM.
struct PeRecords : OpSink {
  std::vector<std::int64_t> vector;
  std::vector<std::int64_t> loaded;
  std::int64_t wakeups = 0;
  void record(std::string_view engine, const Stage& stage, const OpRecord& op) override {
    if (engine.find("pe0.") == std::string_view::npos) return;
    if (stage == kVectorStage) vector.push_back(op.start.value);
    if (stage == kLoadStage) loaded.push_back(op.end.value);
  }
};

PeRecords pe_records(const MachineSpec& machine, const CollectiveSchedule& schedule) {
  std::istringstream in(forked([&] {
    PeRecords seen;
    seen.wakeups = run_collective(machine, schedule, {.sink = &seen}).wakeups;
    std::ostringstream out;
    out << seen.wakeups;
    for (const auto* list : {&seen.vector, &seen.loaded}) {
      out << ' ' << list->size();
      for (const std::int64_t time : *list) out << ' ' << time;
    }
    return out.str();
  }));
  PeRecords seen;
  in >> seen.wakeups;
  for (auto* list : {&seen.vector, &seen.loaded}) {
    std::size_t size = 0;
    in >> size;
    list->resize(size);
    for (std::int64_t& time : *list) in >> time;
  }
  return seen;
}

/// Rank 0 sends `sent` elements to rank 1, which sends `taken` back at once; they come from element `first` on.
CollectiveSchedule crossing(std::int64_t sent, std::int64_t taken, std::int64_t first) {
  return by_hand(8192, {{send_to(1, sent), receive_from(1, taken, first)}, {send_to(0, taken), receive_from(0, sent)}});
}

/// When rank 0 of that asks the vector unit for its only piece.
std::int64_t asks(const CollectiveSchedule& schedule, const std::vector<std::string>& more = {}) {
  return pe_records(slow_tcm(more), schedule).vector.at(0);
}

CollectiveStep copy_to(std::int64_t first, std::int64_t count, std::int64_t from) {
  return {.kind = StepKind::kCopy, .first = first, .count = count, .from = from};
}

/// Every rank sends all elements to each other one and adds what these send to the same: direct without its copy.
CollectiveSchedule direct_in_place(std::int32_t ranks, std::int64_t count) {
  std::vector<CollectiveThread> threads;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    CollectiveThread& thread = threads.emplace_back();
    for (std::int32_t far = 1; far < ranks; ++far) thread.push_back(send_to((rank + far) % ranks, count));
    for (std::int32_t far = 1; far < ranks; ++far) thread.push_back(reduce_from((rank + ranks - far) % ranks, count));
  }
  return by_hand(count, std::move(threads));
}

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE(
      "19.16 a receiver asks for the vector unit when what it overwrites has been read, not a picosecond before") {
    const std::int64_t left = kControl + kSetup + kPieceLeaves;
    for (const std::int64_t after : {-20'000, -1, 0, 1, 20'000}) {
      CAPTURE(after);
      // It goes on that long after the last packet's tail has left the TCM.
      const std::string wake = "pe.message_queue.wake_latency=" + std::to_string(left + after - kElementLands) + " ps";
      CHECK(asks(crossing(kPiece, 1, 0), {wake}) == left + std::max<std::int64_t>(after, 0));
      // Inline it is taken at that instant, and the values that leave are the old ones.
      CHECK(collective_error(slow_tcm({wake, "pe.message_queue.consumer=inline"}),
                             by_hand(kPiece, {{send_to(1, kPiece), reduce_from(1, kPiece)},
                                              {send_to(0, kPiece), reduce_from(0, kPiece)}}),
                             kIntegers)
                .empty());
    }
  }

  TEST_CASE("19.16 it waits for those pieces that it overwrites, and for no others") {
    const std::int64_t at_once = kElementLands + 2000;  // it is woken up
    const auto left = [](std::int64_t piece) { return kControl + kSetup + (piece + 1) * kPieceLeaves; };
    const auto overwrites = [](std::int64_t count, std::int64_t first) {
      return asks(crossing(4 * kPiece, count, first));
    };
    for (const std::int64_t piece : {0, 1, 2, 3}) {
      CAPTURE(piece);
      CHECK(overwrites(1, piece * kPiece) == left(piece));
      CHECK(overwrites(1, (piece + 1) * kPiece - 1) == left(piece));
    }
    CHECK(overwrites(2, 2 * kPiece - 1) == left(2));  // of two pieces, the later one
    CHECK(overwrites(kPiece, 4 * kPiece - 1) == left(3));
    CHECK(overwrites(1, 4 * kPiece) == at_once);
    // The last element before what is sent.
    CollectiveSchedule behind = crossing(4 * kPiece, 1, 0);
    behind.ranks[0][0][0].first = 1;
    CHECK(pe_records(slow_tcm(), behind).vector.at(0) == at_once);
  }

  TEST_CASE("19.16 of several sends of the same elements it waits for all that have started, in whatever thread") {
    const CollectiveThread taker{receive_from(0, kPiece)};
    const auto left_after = [](std::int64_t pieces) { return kControl + kSetup + pieces * kPieceLeaves; };
    CollectiveSchedule schedule =
        by_hand(8192, {{send_to(2, kPiece), send_to(3, kPiece), receive_from(1, 1)}, {send_to(0, 1)}, taker, taker});
    CHECK(asks(schedule) == left_after(2));
    // Two threads: the one that receives has the control processor first, the one that sends after it.
    schedule.ranks[0] = {{receive_from(1, 1)}, {send_to(2, kPiece), send_to(3, kPiece)}};
    CHECK(asks(schedule) == kControl + left_after(2));
    // What starts after it has gone on: it has the unit before.
    schedule.ranks[0] = {{receive_from(1, 1), send_to(2, kPiece), send_to(3, kPiece)}};
    CHECK(asks(schedule) == kElementLands + 2000);
  }

  TEST_CASE("19.16 a copy waits for all that it overwrites") {
    const auto starts = [](std::int64_t to, std::int64_t count) {
      return asks(by_hand(8192, {{send_to(1, 2 * kPiece), copy_to(to, count, 4096)}, {receive_from(0, 2 * kPiece)}}));
    };
    CHECK(starts(0, 1) == kControl + kSetup + kPieceLeaves);
    CHECK(starts(0, 4 * kPiece) == kControl + kSetup + 2 * kPieceLeaves);
    CHECK(starts(2 * kPiece, kPiece) == 2 * kControl);
  }

  TEST_CASE("19.16 from HBM a piece has been read when it is in TCM") {
    // The message from rank 1 is there when rank 0, which copies before it sends, comes for it.
    const auto seen = [](std::int64_t first) {
      const CollectiveSchedule schedule =
          by_hand(100'000, {{copy_to(90'000, 10'000, 80'000), send_to(1, 2 * kPiece), receive_from(1, 1, first)},
                            {send_to(0, 1), receive_from(0, 2 * kPiece)}});
      return pe_records(slow_tcm({"pe.tcm.capacity=128 KiB"}), schedule);
    };
    const std::int64_t comes = seen(2 * kPiece).vector.back();  // and has nothing to wait for
    for (const std::int64_t piece : {0, 1}) {
      CAPTURE(piece);
      const PeRecords waits = seen(piece * kPiece);
      REQUIRE(waits.loaded.size() > 2);  // the last two are of what is sent
      const std::array loaded{*(waits.loaded.end() - 2), waits.loaded.back()};
      CHECK(loaded[0] < loaded[1]);
      CHECK(loaded[0] > comes);
      CHECK(waits.vector.back() == loaded.at(static_cast<std::size_t>(piece)));
    }
  }

  TEST_CASE("19.16 where everything has been read it costs no wake-up") {
    // On the machine as it is an exchange is never that early.
    const auto exchange = [](std::int64_t first) {
      return pe_records(one_die(), by_hand(8192, {{send_to(1, 4096), receive_from(1, 4096, first)},
                                                  {send_to(0, 4096), receive_from(0, 4096, first)}}));
    };
    CHECK(exchange(0).vector == exchange(4096).vector);
    CHECK(exchange(0).wakeups == exchange(4096).wakeups);
    // Who waits for all of four pieces wakes up once more.
    const auto wakeups = [](std::int64_t first) {
      return pe_records(slow_tcm(), crossing(4 * kPiece, 1, first)).wakeups;
    };
    CHECK(wakeups(0) == wakeups(4 * kPiece) + 1);
    CHECK(wakeups(4 * kPiece - 1) == wakeups(4 * kPiece) + 1);
  }

  TEST_CASE("19.17 ranks that send each other what they add to end with every slot, and with the right values") {
    for (const std::string slots : {"1", "2", "5"}) {
      for (const std::string slot : {"8 B", "62 B", "1 KiB"}) {
        for (const std::string tcm : {"128 KiB", "16 MiB"}) {
          for (const std::string consumer : {"inline", "vector_unit"}) {
            CAPTURE(slots);
            CAPTURE(slot);
            CAPTURE(tcm);
            CAPTURE(consumer);
            const std::int64_t count = 300;
            CollectiveSchedule schedule =
                by_hand(tcm == "16 MiB" ? count : 70'000,
                        {{send_to(1, count), reduce_from(1, count)}, {send_to(0, count), reduce_from(0, count)}});
            schedule.collective = Collective::kReduce;  // of rank 0 alone all elements are looked at
            schedule.count = count;
            CHECK(collective_error(one_die({"pe.tcm.read_bandwidth=16 GB/s", "pe.message_queue.slots=" + slots,
                                            "pe.control_latency=0 ns", "pe.message_queue.wake_latency=0 ns",
                                            "pe.tcm.capacity=" + tcm, "pe.message_queue.consumer=" + consumer,
                                            "pe.message_queue.slot_bytes=" + slot}),
                                   schedule, kIntegers)
                      .empty());
          }
        }
      }
    }
  }

  TEST_CASE("19.17 where waits go in a circle the run ends as a deadlock that names buffer and bytes") {
    const auto error = [](std::int32_t ranks, std::int64_t count) {
      return collective_error(one_die({"pe.message_queue.slots=1"}), direct_in_place(ranks, count), kIntegers);
    };
    const std::int64_t slot = 4096 / kElementBytes;
    CHECK(error(2, 4 * slot).empty());
    CHECK(error(3, slot).empty());
    const std::string circle = error(3, slot + 1);
    CAPTURE(circle);
    CHECK(circle.find("deadlock: nothing is left to happen and the collective has not ended:\n") == 0);
    CHECK(
        circle.find("buffer of rank 0: who overwrites it up to byte 4097 waits for an earlier send, which has read it "
                    "up to byte 4095") != std::string::npos);
  }
}

}  // namespace kernbench::overwrite_test
