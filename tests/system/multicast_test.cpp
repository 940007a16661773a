// What kernels send to several ranks at once: each time is the sum of its parts, to the picosecond, and each slip is
// told.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/error_of.hpp"
#include "tests/system/kernel_run.hpp"

using namespace kernbench;

namespace {

// Of the committed machine, in picoseconds.
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kWake = 2000;
constexpr std::int64_t kVectorLatency = 4000;

/// From PE 0 to another of its row: wire, routers, wire.
std::int64_t way(std::int64_t to) { return 10 + 2000 + to * (40 + 2000) + 10; }
std::int64_t link(std::int64_t bytes) { return ceil_mul_div(bytes, 1000, 256); }
std::int64_t port(std::int64_t bytes) { return ceil_mul_div(bytes, 1000, 512); }
std::int64_t vector(std::int64_t bytes) { return ceil_div(bytes / 2, 128) * 1000; }

const KernelPe::Element kCounted = [](std::int64_t row, std::int64_t column) {
  return static_cast<float>((row * 7 + column) % 100);
};

MachineSpec machine(bool multicast, std::vector<std::string> overrides = {}) {
  overrides.emplace_back(std::string("die.router.multicast=") + (multicast ? "true" : "false"));
  return one_die(overrides);
}

/// Rank 0 sends a row of `bytes` to ranks 1, 2 and 3; all note when it has left, and can be used. Rank 2 waits for what
/// it has begun to receive.
std::string to_three(std::int64_t bytes, const MachineSpec& machine, int late_calls_of_3 = 0) {
  return notes_of(
      4,
      [=](KernelPe pe, Notes* notes) -> Process {
        const MulticastGroup group{0, {1, 2, 3}};
        const MatrixLayout row = pe.tcm(1, bytes / 2);
        pe.fill(row, kCounted);
        if (pe.rank() == 0) {
          notes->add(co_await pe.wait(co_await pe.multicast(row, group)));
        } else {
          for (int call = 0; pe.rank() == 3 && call < late_calls_of_3; ++call) static_cast<void>(co_await pe.ref(row));
          if (pe.rank() == 2) {
            notes->add(co_await pe.wait(co_await pe.irecv(row, group)));
          } else {
            notes->add(co_await pe.recv(row, group));
          }
          pe.expect(row, kCounted);
        }
      },
      machine);
}

/// What ends a kernel of four ranks that all make one call with a group.
std::string slip(const MulticastGroup& group, bool sends) {
  return notes_of(4, [=](KernelPe pe, Notes* /*notes*/) -> Process {
    const MatrixLayout row = pe.tcm(1, 8);
    if (pe.rank() != 0) co_return;
    if (sends) {
      co_await pe.wait(co_await pe.multicast(row, group));
    } else {
      co_await pe.recv(row, group);
    }
  });
}

}  // namespace

TEST_SUITE("ADR-0065") {
  TEST_CASE("65.1 routers copy what goes into slots in TCM") {
    CHECK(error_of([] {
            static_cast<void>(machine(true, {"pe.message_queue.tier=hbm"}));
          }).find("die.router.multicast: contradicts pe.message_queue.tier") != std::string::npos);
    CHECK(error_of([] { static_cast<void>(machine(false, {"pe.message_queue.tier=hbm"})); }).empty());
  }

  TEST_CASE("65.4 a message to a row of PEs is at each when one message would be") {
    constexpr std::int64_t kBytes = 4096;
    std::vector<std::int64_t> times = {kControl + kSetup + port(kBytes)};
    for (const std::int64_t to : {1, 2, 3}) {
      times.push_back(kControl + kSetup + way(to) + link(kBytes) + kWake + vector(kBytes) + kVectorLatency);
    }
    CHECK(to_three(kBytes, machine(true)) == noted(times));
  }

  TEST_CASE("65.3 without routers that copy a message goes to one receiver after the other, and leaves with the last") {
    constexpr std::int64_t kBytes = 4096;
    std::vector<std::int64_t> times = {kControl + kSetup + 3 * port(kBytes)};
    for (const std::int64_t to : {1, 2, 3}) {
      times.push_back(kControl + kSetup + way(to) + to * link(kBytes) + kWake + vector(kBytes) + kVectorLatency);
    }
    CHECK(to_three(kBytes, machine(false)) == noted(times));
  }

  TEST_CASE("65.2 a piece waits for the slots of the slowest receiver") {
    // Two pieces, one slot: rank 3 takes the first one after 50 other calls, and all get the second behind its credit.
    constexpr std::int64_t kPiece = 256;
    constexpr int kLate = 50;
    const MachineSpec one_slot = machine(true, {"pe.message_queue.slots=1", "pe.message_queue.slot_bytes=256B"});
    const std::int64_t credit = (kLate + 1) * kControl + vector(kPiece) + way(3) + link(16);
    const std::int64_t posted = credit + kWake;
    std::vector<std::int64_t> times = {posted + kSetup + port(kPiece)};
    for (const std::int64_t to : {1, 2, 3}) {
      times.push_back(posted + kSetup + way(to) + link(kPiece) + kWake + vector(kPiece) + kVectorLatency);
    }
    CHECK(to_three(2 * kPiece, one_slot, kLate) == noted(times));
  }

  TEST_CASE("65.7 a wrong group ends the run with what was expected") {
    const auto says = [](const std::string& error, const std::string& what) {
      CHECK_MESSAGE(error.find("rank 0, at ") != std::string::npos, error);
      CHECK_MESSAGE(error.find(what) != std::string::npos, error);
    };
    says(slip({0, {}}, true), "multicast of a group: it names no receiver");
    says(slip({0, {1, 4}}, true), "or a rank that is none: expected some of 0 to 3");
    says(slip({0, {1, 2, 1}}, true), "it names rank 1 twice");
    says(slip({0, {0, 1}}, true), "it names rank 0 twice");
    says(slip({1, {0, 2}}, true), "rank 1 sends, ranks 0, 2 receive: expected this rank among the former");
    says(slip({1, {2, 3}}, false), "rank 1 sends, ranks 2-3 receive: expected this rank among the latter");
  }

  TEST_CASE("65.7 who waits for a group's message that nobody sends, and what nobody receives, is told") {
    const MulticastGroup group{0, {1, 2}, 5};
    const std::string waits = notes_of(3, [=](KernelPe pe, Notes* /*notes*/) -> Process {
      const MatrixLayout row = pe.tcm(1, 8);
      if (pe.rank() == 2) co_await pe.recv(row, group);
    });
    CHECK_MESSAGE(waits.find("recv from rank 0 on channel 5 of its group of ranks 1-2") != std::string::npos, waits);
    const std::string sent = notes_of(3, [=](KernelPe pe, Notes* /*notes*/) -> Process {
      const MatrixLayout row = pe.tcm(1, 8);
      if (pe.rank() == 0) co_await pe.wait(co_await pe.multicast(row, group));
      if (pe.rank() == 1) co_await pe.recv(row, group);
    });
    CHECK_MESSAGE(sent.find("queue 0 -> 2 (channel 5 of its group of ranks 1-2): 1 message") != std::string::npos,
                  sent);
  }
}
