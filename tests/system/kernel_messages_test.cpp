// What kernels of several PEs send each other: each time is the sum of its parts, to the picosecond, and each slip is
// told.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/system/collective_run.hpp"
#include "tests/system/kernel_run.hpp"

using namespace kernbench;

namespace {

// Of the committed machine, in picoseconds.
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kWake = 2000;
constexpr std::int64_t kVectorLatency = 4000;

/// Between two PEs of the die, whose routers are two rows of four: wire, routers, wire.
std::int64_t way(std::int64_t from, std::int64_t to) {
  const std::int64_t hops = std::abs(from % 4 - to % 4) + std::abs(from / 4 - to / 4);
  return 10 + 2000 + hops * (40 + 2000) + 10;
}
std::int64_t link(std::int64_t bytes) { return ceil_mul_div(bytes, 1000, 256); }
std::int64_t port(std::int64_t bytes) { return ceil_mul_div(bytes, 1000, 512); }
std::int64_t vector(std::int64_t bytes) { return ceil_div(bytes / 2, 128) * 1000; }

/// From a send's call to when the message is in PE 1's TCM; and to when it can be used there.
std::int64_t landed(std::int64_t bytes) { return kControl + kSetup + way(0, 1) + link(bytes); }
std::int64_t received(std::int64_t bytes) { return landed(bytes) + kWake + vector(bytes) + kVectorLatency; }

const KernelPe::Element kCounted = [](std::int64_t row, std::int64_t column) {
  return static_cast<float>((row * 7 + column) % 100);
};
const KernelPe::Element kTwice = [](std::int64_t row, std::int64_t column) { return 2 * kCounted(row, column); };
const KernelPe::Element kNothing = [](std::int64_t, std::int64_t) { return 0.0F; };

/// Rank 0 sends a row of `bytes` to rank 1, which takes it, or adds it; they note when it has left, and can be used.
std::string message(std::int64_t bytes, bool add) {
  return notes_of(2, [=](KernelPe pe, Notes* notes) -> Process {
    const MatrixLayout row = pe.tcm(1, bytes / 2);
    pe.fill(row, kCounted);
    if (pe.rank() == 0) {
      notes->add(co_await pe.wait(co_await pe.send(row, 1)));
    } else {
      if (add) {
        notes->add(co_await pe.recv_add(row, 0));
      } else {
        notes->add(co_await pe.recv(row, 0));
      }
      pe.expect(row, add ? kTwice : kCounted);
    }
  });
}

/// When each rank passes a barrier that all come to at 0.
std::vector<std::int64_t> barrier_times(std::int32_t ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<std::int64_t> now(size, 0);
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    const std::vector<std::int64_t> before = now;
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::size_t from = (rank + size - distance) % size;
      const std::int64_t there = before[from] + kControl + kSetup +
                                 way(static_cast<std::int64_t>(from), static_cast<std::int64_t>(rank)) + link(2);
      const std::int64_t asks = before[rank] + 2 * kControl;
      now[rank] = (there > asks ? there + kWake : asks) + vector(2) + kVectorLatency;
    }
  }
  return now;
}

/// The message of a kernel of two ranks that does `slip` on rank 0 at time 0.
std::string told(const std::function<Process(KernelPe)>& slip) {
  return notes_of(2, [&](KernelPe pe, Notes*) -> Process {
    Process program = slip(pe);
    if (pe.rank() == 0) co_await program.finished();
  });
}

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.2 a slot takes whole elements, whatever it could hold, from TCM and from HBM") {
    for (const Dtype dtype : {Dtype::kBf16, Dtype::kFp32, Dtype::kInt8}) {
      for (const bool in_hbm : {false, true}) {
        const std::string text = notes_of(
            2,
            [=](KernelPe pe, Notes*) -> Process {
              MatrixLayout row{Layout::kRowMajor, 1, 3000, 1, 3000, 0, 256};
              row.dtype = dtype;
              const MatrixLayout mine = in_hbm ? pe.hbm(row) : pe.tcm(row);
              pe.fill(mine, kCounted);
              if (pe.rank() == 0) co_await pe.wait(co_await pe.send(mine, 1));
              if (pe.rank() == 1) co_await pe.recv_add(mine, 0);
              pe.expect(mine, pe.rank() == 0 ? kCounted : kTwice);
            },
            one_die({"pe.message_queue.slot_bytes=1001 B"}));
        CHECK_MESSAGE(text.empty(), text);
      }
    }
  }

  TEST_CASE("19.2 19.14 a schedule may overwrite what its rank still sends, but not what it still writes") {
    // One thread sends 16 KiB, which leave for 32 ns; another one receives 128 bytes long before that, into the first
    // piece, the last one, or behind them: no race, and no all_reduce either.
    for (const std::int64_t receive_at : {0, 6144, 8192}) {
      CollectiveSchedule schedule = by_hand(16'384, {{send_to(1, 8192)}, {receive_from(0, 8192)}});
      schedule.ranks[0].push_back({receive_from(1, 64, receive_at)});
      schedule.ranks[1].push_back({send_to(0, 64, 10'000)});
      CHECK(collective_error(one_die(), schedule, {.values = CollectiveValues::kIntegers}).find("wrong result: ") == 0);
    }
    // Two threads receive into the same place in HBM, where a result takes longer to land than the next one to be made.
    CollectiveSchedule schedule = by_hand(100'000, {{receive_from(1, 2048)}, {send_to(0, 2048)}, {send_to(0, 2048)}});
    schedule.ranks[0].push_back({receive_from(2, 2048)});
    const std::string race =
        collective_error(one_die({"pe.tcm.capacity=128 KiB"}), schedule, {.values = CollectiveValues::kIntegers});
    CAPTURE(race);
    CHECK(race.find("race in ") == 0);
    CHECK(race.find(" -> 0 (0) writes bytes 0 to 4095, while queue ") != std::string::npos);
    CHECK(race.find(" -> 0 (0) writes bytes 0 to 4095 since ") != std::string::npos);
  }
}

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.8 28.9 a send has left with its last packet, a receive ends when the result can be used") {
    for (const std::int64_t bytes : {2, 256, 258, 4096}) {
      CAPTURE(bytes);
      // A port takes one packet after the other; a wait's own call comes first.
      std::int64_t passes = bytes / 256 * port(256);
      if (bytes % 256 > 0) passes += port(bytes % 256);
      const std::int64_t left = std::max(2 * kControl, kControl + kSetup + passes);
      for (const bool add : {false, true}) CHECK(message(bytes, add) == noted({left, received(bytes)}));
    }
    // Three pieces: the second and third have been set up while the first is in the port.
    constexpr std::int64_t kLong = 2 * 4096 + 512;
    const std::int64_t last_piece = kSetup + 2 * std::max(kSetup, port(4096)) + port(512);
    CHECK(message(kLong, false).find(noted({kControl + last_piece})) == 0);
  }

  TEST_CASE("28.9 messages of one channel come in their order; channels do not wait for each other") {
    CHECK(notes_of(2, [](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout one = pe.tcm(1, 128);
            const MatrixLayout two = pe.tcm(1, 128);
            if (pe.rank() == 0) {
              pe.fill(one, [](std::int64_t, std::int64_t) { return 1.0F; });
              pe.fill(two, [](std::int64_t, std::int64_t) { return 2.0F; });
              static_cast<void>(co_await pe.send(one, 1));
              static_cast<void>(co_await pe.send(two, 1));
              static_cast<void>(co_await pe.send(two, 1, 5));
              static_cast<void>(co_await pe.send(one, 1));
            } else {
              co_await pe.recv(two, 0, 5);  // behind two of channel 0
              pe.expect(two, [](std::int64_t, std::int64_t) { return 2.0F; });
              co_await pe.recv(one, 0);
              co_await pe.recv_add(one, 0);
              co_await pe.recv_add(one, 0);
              pe.expect(one, [](std::int64_t, std::int64_t) { return 4.0F; });
              notes->add("right");
            }
          }) == "right ");
  }

  TEST_CASE("28.9 a sum of two bf16 is rounded to bf16") {
    CHECK(notes_of(2, [](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout row = pe.tcm(1, 2);
            pe.fill(row, [&](std::int64_t, std::int64_t) { return pe.rank() == 0 ? 1.0F : 256.0F; });
            if (pe.rank() == 0) {
              static_cast<void>(co_await pe.send(row, 1));
            } else {
              co_await pe.recv_add(row, 0);
              pe.expect(row, [](std::int64_t, std::int64_t) { return 256.0F; });  // 257 lies half way to 258: to even
              notes->add("right");
            }
          }) == "right ");
  }

  TEST_CASE("28.10 a barrier is ceil(log2 n) rounds of messages of one element; alone it takes no time") {
    // Credits that take no bandwidth leave the links to the messages.
    const MachineSpec machine = one_die({"pe.message_queue.credit_bytes=0 B"});
    for (const std::int32_t ranks : {1, 2, 3, 8}) {
      CAPTURE(ranks);
      const auto passes = [](KernelPe pe, Notes* notes) -> Process { notes->add(co_await pe.barrier()); };
      std::vector<std::int64_t> expected = barrier_times(ranks);
      std::ranges::sort(expected);  // as they note them
      CHECK(notes_of(ranks, passes, machine) == noted(expected));
    }
    // One round of two: a send, a receive, a message in between.
    CHECK(barrier_times(2) == std::vector<std::int64_t>{received(2), received(2)});
  }

  TEST_CASE(
      "28.10 nobody passes a barrier before everybody has come, and what was written before it is there behind it") {
    CHECK(notes_of(8, [](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout row = pe.tcm(1, 128);
            pe.fill(row, kNothing);
            for (int round = 0; round < 3; ++round) {
              if (pe.rank() == 5) {  // late each time
                for (int call = 0; call < 100; ++call) co_await pe.wait(Pending::nothing());
              }
              const std::string late = pe.rank() == 5 ? "5" : "";
              if (!late.empty()) notes->add("comes");
              co_await pe.barrier();
              if (late.empty() && pe.rank() == 0) notes->add("passes");
            }
          }) == "comes passes comes passes comes passes ");
  }

  TEST_CASE("28.11 a slip is told with the kernel, the rank, the time and the cure") {
    const auto send_to_rank = [](std::int32_t to) {
      return told([to](KernelPe pe) -> Process { static_cast<void>(co_await pe.send(pe.tcm(1, 2), to)); });
    };
    CHECK(send_to_rank(2) == "the kernel, rank 0, at 2 ns: send names rank 2: expected another one of 0 to 1");
    CHECK(send_to_rank(0) == "the kernel, rank 0, at 2 ns: send names rank 0: expected another one of 0 to 1");
    CHECK(told([](KernelPe pe) -> Process { co_await pe.recv_add(pe.tcm(1, 2), -1); }) ==
          "the kernel, rank 0, at 2 ns: recv_add names rank -1: expected another one of 0 to 1");
    CHECK(told([](KernelPe pe) -> Process { static_cast<void>(co_await pe.send(pe.of(1, pe.tcm(1, 2)), 1)); }) ==
          "the kernel, rank 0, at 2 ns: send of a matrix in another memory: expected one in TCM or in the own "
          "partition; load it first");
    CHECK(told([](KernelPe pe) -> Process { static_cast<void>(co_await pe.load(pe.tcm(1, 2))); }) ==
          "the kernel, rank 0, at 2 ns: load of a matrix that is in TCM already");
    CHECK(told([](KernelPe pe) -> Process { static_cast<void>(co_await pe.store(pe.hbm(1, 2), pe.hbm(1, 2))); }) ==
          "the kernel, rank 0, at 2 ns: store of a matrix that is not in TCM: load it, or compute it there, first");
    CHECK(told([](KernelPe pe) -> Process { static_cast<void>(co_await pe.store(pe.tcm(1, 2), pe.tcm(1, 2))); }) ==
          "the kernel, rank 0, at 2 ns: store into TCM: expected a place in a memory");
    CHECK(told([](KernelPe pe) -> Process {
            pe.release(pe.of(1, pe.hbm(1, 2)));
            co_return;
          }) == "the kernel, rank 0, at 0 ps: release of a matrix in another memory: its owner gives it back");
    CHECK(told([](KernelPe pe) -> Process {
            static_cast<void>(pe.tcm(0, 2));
            co_return;
          }) == "the kernel, rank 0, at 0 ps: room for a matrix of 0 x 2 elements is asked for: expected at least one");
    const auto unwaited = [](bool is_b) {
      return told([is_b](KernelPe pe) -> Process {
        const GemmProblem problem{32, 64, 32};
        const GemmCall call{problem, place_gemm(problem, pe.machine())};
        const Operand loaded = co_await pe.load(is_b ? call.matrices.b : call.matrices.a);
        const Operand other = co_await pe.ref(is_b ? call.matrices.a : call.matrices.b);
        static_cast<void>(co_await pe.composite(call, is_b ? other : loaded, is_b ? loaded : other));
      });
    };
    CHECK(unwaited(false) ==
          "the kernel, rank 0, at 6 ns: composite: operand A is used before its load is complete: wait for it first");
    CHECK(unwaited(true).find("operand B is used before its load") != std::string::npos);
  }

  TEST_CASE("28.11 both sides of a channel name messages of the same length, and one program takes them") {
    CHECK(
        notes_of(2,
                 [](KernelPe pe, Notes*) -> Process {
                   if (pe.rank() == 0) {
                     static_cast<void>(co_await pe.send(pe.tcm(1, 8), 1, 3));
                   } else {
                     co_await pe.recv(pe.tcm(1, 9), 0, 3);
                   }
                 }) ==
        "the kernel, rank 1, at 2 ns: receive from rank 0 on channel 3: the sender's next message is a matrix of 1 x 8 "
        "row-major (16 bytes), the receiver takes one of 1 x 9 row-major (18 bytes); both sides name the same matrices "
        "in the same order");
    // Two threads of a rank.
    CollectiveSchedule two = by_hand(256, {{receive_from(1, 128), receive_from(1, 128)}, {send_to(0, 128)}});
    two.ranks[0].push_back({receive_from(1, 128)});
    CHECK(collective_error(one_die(), two) ==
          "queue 1 -> 0 (0): two programs of the receiver take messages out of it at once; one has to wait for the "
          "other, or use another channel");
  }

  TEST_CASE("28.8 28.21 a buffer that is overwritten before its send has left is a race; behind a wait it is none") {
    const auto overwrites = [](bool waits) {
      return notes_of(2, [waits](KernelPe pe, Notes* notes) -> Process {
        const MatrixLayout whole = pe.tcm(32, 1024);
        MatrixLayout last_row = whole;
        last_row.rows = last_row.tile_rows = 1;
        last_row.base += 31 * 2048;
        pe.fill(whole, kCounted);
        if (pe.rank() == 1) {
          const MatrixLayout small = pe.tcm(1, 1024);
          pe.fill(small, kNothing);
          static_cast<void>(co_await pe.send(small, 0));
          co_await pe.recv(whole, 0);
          pe.expect(whole, kCounted);  // as they were when they left
          notes->add("right");
        } else {
          const Pending sent = co_await pe.send(whole, 1);
          if (waits) co_await pe.wait(sent);
          co_await pe.recv(last_row, 1);
          pe.expect(last_row, kNothing);
        }
      });
    };
    CHECK(overwrites(true) == "right ");
    const std::string race = overwrites(false);
    CHECK(race.find("ns: race in the TCM of package0.die0.pe0: at ") != std::string::npos);
    CHECK(race.find("the kernel: queue 1 -> 0 writes bytes 63488 to 65535, while the kernel: queue 0 -> 1 reads bytes "
                    "61440 to 65535 since 2 ns") != std::string::npos);
  }

  TEST_CASE("28.13 slots take room at the receiver from the first use of their queue on") {
    const std::string room = notes_of(2, [](KernelPe pe, Notes* notes) -> Process {
      const MatrixLayout row = pe.tcm(1, 2);
      if (pe.rank() == 1) {
        notes->add(std::to_string(pe.tcm(1, 1).base));  // behind the row, at the next burst
        co_await pe.recv(row, 0);
        notes->add(std::to_string(pe.tcm(1, 1).base));  // behind four slots of 4 KiB
      } else {
        static_cast<void>(co_await pe.send(row, 1));
        notes->add(std::to_string(pe.tcm(1, 1).base));  // the sender has none
      }
    });
    CHECK(room == "256 256 " + std::to_string(512 + 4 * 4096) + " ");
    const std::string full = notes_of(
        2,
        [](KernelPe pe, Notes*) -> Process {
          const MatrixLayout row = pe.tcm(1, 2048);
          if (pe.rank() == 0) static_cast<void>(co_await pe.send(row, 1));
        },
        one_die({"pe.tcm.capacity=16 KiB", "pe.stream_depth=1", "pe.output_depth=1"}));
    CHECK(
        full ==
        "the kernel, rank 0, at 2 ns: the TCM of package0_die0_pe1 has no room for slots of the kernel: queue 0 -> 1, "
        "16384 bytes: of 16384 (pe.tcm.capacity) 4096 are in use: a kernel's buffer 4096");
  }
}
