// Receives that a kernel begins and waits for later: each time is the sum of its parts, and each slip is told.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/system/kernel_run.hpp"

namespace kernbench::irecv_test {
namespace {

// Of the committed machine, in picoseconds: from a send at 0 to when the message can be used one hop away.
constexpr std::int64_t kBytes = 4096;
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kWay = 10 + 2000 + 40 + 2000 + 10;
constexpr std::int64_t kLink = kBytes * 1000 / 256;
constexpr std::int64_t kWake = 2000;
constexpr std::int64_t kTaken = kBytes / 2 / 128 * 1000 + 4000;  ///< by the vector unit, and its latency
constexpr std::int64_t kReceived = kControl + kSetup + kWay + kLink + kWake + kTaken;

const KernelPe::Element kFirst = [](std::int64_t, std::int64_t column) { return static_cast<float>(column % 100); };
const KernelPe::Element kSecond = [](std::int64_t, std::int64_t column) { return static_cast<float>(column % 50 + 1); };

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What rank 1 does with a row that rank 0 sends to it.
template <class Receiver>
std::string one_message(Receiver receiver) {
  return notes_of(2, [=](KernelPe pe, Notes* notes) -> Process {
    const MatrixLayout row = pe.tcm(1, kBytes / 2);
    pe.fill(row, kFirst);
    if (pe.rank() == 0) {
      co_await pe.wait(co_await pe.send(row, 1));
    } else {
      notes->add(co_await receiver(pe, row));
    }
  });
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.26 what a rank has begun to receive is there when it would be there for a recv") {
    const auto waited = [](KernelPe pe, MatrixLayout row) -> Task<Picoseconds> {
      co_return co_await pe.wait(co_await pe.irecv(row, 0));
    };
    const auto at_once = [](KernelPe pe, MatrixLayout row) -> Task<Picoseconds> { co_return co_await pe.recv(row, 0); };
    CHECK(one_message(waited) == noted({kReceived}));
    CHECK(one_message(at_once) == noted({kReceived}));
  }

  TEST_CASE("28.26 the call returns at the end of its control time") {
    const auto begun = [](KernelPe pe, MatrixLayout row) -> Task<Picoseconds> {
      const Operand coming = co_await pe.irecv(row, 0);
      const Picoseconds returned = co_await pe.wait(Pending::nothing());
      co_await pe.wait(coming);
      pe.expect(row, kFirst);
      co_return returned;
    };
    CHECK(one_message(begun) == noted({2 * kControl}));
  }

  TEST_CASE("28.26 receives of one queue follow each other, an irecv or a recv behind an irecv") {
    for (const bool waits : {false, true}) {
      CHECK(notes_of(2, [waits](KernelPe pe, Notes* notes) -> Process {
              const MatrixLayout first = pe.tcm(1, kBytes / 2);
              const MatrixLayout second = pe.tcm(1, kBytes / 2);
              if (pe.rank() == 0) {
                pe.fill(first, kFirst);
                pe.fill(second, kSecond);
                const Pending sent = co_await pe.send(first, 1);
                co_await pe.wait(co_await pe.send(second, 1));
                co_await pe.wait(sent);
              } else {
                const Operand one = co_await pe.irecv(first, 0);
                // The second has landed while the vector unit works on the first.
                if (waits) {
                  notes->add(co_await pe.recv(second, 0));
                } else {
                  notes->add(co_await pe.wait(co_await pe.irecv(second, 0)));
                }
                co_await pe.wait(one);
                pe.expect(first, kFirst);
                pe.expect(second, kSecond);
              }
            }) == noted({kReceived + kTaken}));
    }
  }

  TEST_CASE("28.26 28.11 an operand that has not been received is refused") {
    const std::string told = notes_of(2, [](KernelPe pe, Notes* /*notes*/) -> Process {
      const GemmProblem problem{32, 64, 32};
      const GemmMatrices at = place_gemm(problem, pe.machine());
      const MatrixLayout a = pe.tcm(at.a);
      if (pe.rank() == 0) {
        co_await pe.wait(co_await pe.send(a, 1));
      } else {
        const Operand coming = co_await pe.irecv(a, 0);
        const Operand b = co_await pe.ref(at.b);
        static_cast<void>(co_await pe.composite(coming, b, at.c));
      }
    });
    CHECK_MESSAGE(contains(told, "composite: operand A is used before its irecv is complete: wait for it first"), told);
  }

  TEST_CASE("28.23 28.24 who waits for an irecv, and one that nobody sends for, is told") {
    const auto told = [](bool waits) {
      return notes_of(2, [waits](KernelPe pe, Notes* /*notes*/) -> Process {
        if (pe.rank() == 0) co_return;
        const Operand coming = co_await pe.irecv(pe.tcm(1, 8), 0, 3);
        if (waits) co_await pe.wait(coming);
      });
    };
    const std::string waits = told(true);
    CHECK_MESSAGE(contains(waits, "since 4 ns in wait for irecv of 1 x 8 elements from rank 0 on channel 3"), waits);
    CHECK_MESSAGE(contains(waits, "since 2 ns in irecv from rank 0 on channel 3: rank 0 has sent nothing on it"),
                  waits);
    const std::string ends = told(false);
    CHECK_MESSAGE(contains(ends, "nobody has sent what an irecv was to take in"), ends);
    CHECK_MESSAGE(contains(ends, "queue 0 -> 1 (3): 1 message, 16 bytes"), ends);
  }
}

}  // namespace kernbench::irecv_test
