// What a kernel's author is told of a mistake: where, when, what was expected; and of a run that cannot go on, who
// waits.
#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/capacity_error.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

using Mistake = std::function<Process(KernelPe)>;

std::string told_of(std::int32_t ranks, const Mistake& mistake) {
  return notes_of(ranks, [&](KernelPe pe, Notes*) { return mistake(pe); });
}

/// Without "the kernel, rank 0, at TIME: ", which it has to begin with.
std::string told_alone(const Mistake& mistake) {
  const std::string text = told_of(1, mistake);
  CHECK_MESSAGE(text.find("the kernel, rank 0, at ") == 0, text);
  return text.substr(text.find(": ") + 2);
}

/// Of matrices of these shapes.
std::string told_of_composite(std::vector<std::int64_t> a, std::vector<std::int64_t> b, std::vector<std::int64_t> c,
                              const GemmProblem& problem = {}) {
  return told_of(1, [=](KernelPe pe) -> Process {
    GemmCall gemm{problem};
    gemm.matrices.c = pe.hbm(c[0], c[1]);
    const Operand left = co_await pe.ref(pe.hbm(a[0], a[1]));
    const Operand right = co_await pe.ref(pe.hbm(b[0], b[1]));
    co_await pe.wait(co_await pe.composite(gemm, left, right));
  });
}

const std::string kFirst = "deadlock: nothing is left to happen and the kernel has not ended:\n";

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.11 room of more bytes than 63 bits hold is refused, and does not wrap round to little") {
    for (const bool in_hbm : {false, true}) {
      CHECK(told_alone([in_hbm](KernelPe pe) -> Process {
              constexpr std::int64_t kRows = std::int64_t{1} << 60;
              static_cast<void>(in_hbm ? pe.hbm(kRows, 512) : pe.tcm(kRows, 512));
              co_return;
            }) ==
            "room for a matrix of 1152921504606846976 x 512 elements is asked for: expected less than 2^63 bytes");
    }
  }

  TEST_CASE("28.11 a matrix that is not set, and a pending that nothing has started, are told and end the run") {
    const std::string not_set = " is not set (0 x 0 elements): expected a matrix of tcm, hbm, or the arguments";
    CHECK(told_alone([](KernelPe pe) -> Process { static_cast<void>(co_await pe.load(MatrixLayout{})); }) ==
          "load: the matrix" + not_set);
    CHECK(told_alone([](KernelPe pe) -> Process { static_cast<void>(co_await pe.composite(MathCall{})); }) ==
          "composite: A" + not_set);
    CHECK(told_alone([](KernelPe pe) -> Process {
            const MatrixLayout c = pe.hbm(64, 64);
            static_cast<void>(co_await pe.composite(Operand{}, co_await pe.ref(c), c));
          }) == "composite: operand A" + not_set);
    CHECK(told_alone([](KernelPe pe) -> Process {
            const Operand a = co_await pe.ref(pe.hbm(64, 64));
            static_cast<void>(co_await pe.composite(a, a, MatrixLayout{}));
          }) == "composite: C" + not_set);
    CHECK(told_alone([](KernelPe pe) -> Process {
            const MatrixLayout c = pe.hbm(64, 64);
            static_cast<void>(co_await pe.composite(c, c, c));
          }) == "composite: operand A lies in a memory: expected what load or ref returned for it");
    CHECK(told_alone([](KernelPe pe) -> Process {
            pe.fill(MatrixLayout{}, [](std::int64_t, std::int64_t) { return 0.0F; });
            co_return;
          }) == "fill: the matrix" + not_set);
    CHECK(told_of(2, [](KernelPe pe) -> Process {
            if (pe.rank() == 0) static_cast<void>(co_await pe.send(MatrixLayout{}, 1));
          }) == "the kernel, rank 0, at 2 ns: send: the matrix" + not_set);
    CHECK(told_alone([](KernelPe pe) -> Process { co_await pe.wait(Pending{}); }) ==
          "wait for what no call has started: expected what load, composite, store or send returned, or "
          "Pending::nothing()");
    CHECK(told_alone([](KernelPe pe) -> Process {
            auto load = pe.load(pe.hbm(1, 8));
            static_cast<void>(co_await load);
            static_cast<void>(co_await load);
          }) == "one call is awaited twice: call again, or keep what the first co_await returned");
  }

  TEST_CASE("28.11 the matrices of a composite fit each other, and the problem agrees with them or says nothing") {
    CHECK(told_of_composite({64, 64}, {64, 64}, {64, 64}).empty());
    CHECK(told_of_composite({64, 128}, {128, 32}, {64, 32}, {.m = 64, .k = 128, .n = 32}).empty());
    CHECK(
        told_of_composite({64, 32}, {64, 64}, {64, 64}) ==
        "the kernel, rank 0, at 6 ns: composite: A is 64 x 32 and B 64 x 64: expected as many columns of A as rows of "
        "B");
    CHECK(told_of_composite({64, 64}, {64, 64}, {64, 32}) ==
          "the kernel, rank 0, at 6 ns: composite: C is 64 x 32 and A x B 64 x 64: expected the same");
    CHECK(told_of_composite({64, 64}, {64, 64}, {64, 64}, {.m = 4096}) ==
          "the kernel, rank 0, at 6 ns: composite: problem.m is 4096 and the operands, 64 x 64 and 64 x 64, say 64: "
          "expected the same, or 0");
    CHECK(told_of_composite({64, 64}, {64, 64}, {64, 64}, {.k = 65}).find("problem.k is 65") != std::string::npos);
    CHECK(told_of_composite({64, 64}, {64, 64}, {64, 64}, {.n = 1}).find("problem.n is 1") != std::string::npos);
    CHECK(told_alone([](KernelPe pe) -> Process {
            const MathCall relu{{VectorOp::kRelu}, {pe.hbm(64, 64), {}, pe.hbm(64, 32)}};
            static_cast<void>(co_await pe.composite(relu));
          }) == "composite: C is 64 x 32 and A 64 x 64: expected the same");
    CHECK(told_alone(
              [](KernelPe pe) -> Process { static_cast<void>(co_await pe.store(pe.tcm(64, 64), pe.hbm(32, 64))); }) ==
          "store of a matrix of 64 x 64 row-major into one of 32 x 64 row-major: expected the same shape and layout");
    CHECK(told_alone([](KernelPe pe) -> Process {
            const GemmMatrices blocked = place_gemm({.m = 64, .k = 64, .n = 64}, pe.machine());
            const Operand b = co_await pe.ref(pe.hbm(blocked.a));
            static_cast<void>(co_await pe.composite(b, b, pe.hbm(64, 64)));
          }) ==
          "composite: operand B is 64 x 64 blocked by 32 x 64: expected tiles of 64 x 32, those of the array, or a "
          "row-major matrix");
  }

  TEST_CASE("28.11 a matrix of as many bytes and another shape is told to whoever comes second") {
    const auto between = [](std::int32_t late) {
      return told_of(2, [late](KernelPe pe) -> Process {
        if (pe.rank() == late) co_await pe.wait(Pending::nothing());
        if (pe.rank() == 0) co_await pe.wait(co_await pe.send(pe.tcm(64, 64), 1));
        if (pe.rank() == 1) co_await pe.recv(pe.tcm(32, 128), 0);
      });
    };
    const std::string both =
        " on channel 0: the sender's next message is a matrix of 64 x 64 row-major (8192 bytes), the receiver takes "
        "one "
        "of 32 x 128 row-major (8192 bytes); both sides name the same matrices in the same order";
    CHECK(between(0) == "the kernel, rank 0, at 4 ns: send to rank 1" + both);
    CHECK(between(1) == "the kernel, rank 1, at 4 ns: receive from rank 0" + both);
  }

  TEST_CASE("28.11 room that has been given back is not used, and not given back again") {
    const auto released = [](const std::function<Process(KernelPe, MatrixLayout)>& use) {
      return told_alone([&use](KernelPe pe) -> Process {
        const MatrixLayout matrix = pe.tcm(64, 64);
        pe.release(matrix);
        Process uses = use(pe, matrix);
        co_await uses.finished();
      });
    };
    const std::string nowhere =
        " lies in TCM where nobody has room, from byte 0 on: it has been released, or was never given room by tcm or "
        "load";
    CHECK(released([](KernelPe pe, MatrixLayout matrix) -> Process {
            pe.release(matrix);
            co_return;
          }) == "release of a matrix of 64 x 64 whose room has been given back, or begins elsewhere");
    CHECK(released([](KernelPe pe, MatrixLayout matrix) -> Process {
            static_cast<void>(co_await pe.store(matrix, pe.hbm(64, 64)));
          }) == "store: the matrix" + nowhere);
    CHECK(released([](KernelPe pe, MatrixLayout matrix) -> Process {
            static_cast<void>(co_await pe.load(pe.hbm(64, 64), matrix));
          }) == "load: the buffer" + nowhere);
    CHECK(released([](KernelPe pe, MatrixLayout matrix) -> Process {
            static_cast<void>(co_await pe.composite(matrix, matrix, matrix));
          }) == "composite: operand A" + nowhere);
  }

  TEST_CASE("28.23 who waits is told by rank, PE, time and call, with what its partner has done") {
    const std::string channels = told_of(2, [](KernelPe pe) -> Process {
      if (pe.rank() == 0) static_cast<void>(co_await pe.send(pe.tcm(1, 8), 1, 1));
      if (pe.rank() == 1) co_await pe.recv(pe.tcm(1, 8), 0);
    });
    CHECK(channels == kFirst +
                          "  the kernel, rank 1 (package0.die0.pe1) waits since 2 ns in recv from rank 0 on channel 0: "
                          "rank 0 has sent nothing on it; it sent 1 message on channel 1 that nobody has received; it "
                          "has ended\n");
    const std::string second = told_of(2, [](KernelPe pe) -> Process {
      const MatrixLayout row = pe.tcm(1, 8);
      pe.fill(row, [](std::int64_t, std::int64_t) { return 1.0F; });
      if (pe.rank() == 0) co_await pe.wait(co_await pe.send(row, 1));
      if (pe.rank() == 1) co_await pe.recv(row, 0);
      if (pe.rank() == 1) co_await pe.recv_add(row, 0);
    });
    CHECK(second.find("in recv_add from rank 0 on channel 0: rank 0 has sent 1 message on it, received before; it has "
                      "ended\n") != std::string::npos);
  }

  TEST_CASE("28.23 ranks that are alike are one line, a barrier names its round and who has not come") {
    // Everybody receives first.
    CHECK(told_of(8,
                  [](KernelPe pe) -> Process {
                    const MatrixLayout row = pe.tcm(1, 8);
                    co_await pe.recv(row, (pe.rank() + 7) % 8);
                    static_cast<void>(co_await pe.send(row, (pe.rank() + 1) % 8));
                  }) ==
          kFirst +
              "  the kernel, ranks 0-7 (package0.die0.pe0 to package0.die0.pe7) wait since 2 ns in recv from rank r "
              "- 1 on channel 0: rank r - 1 has sent nothing on it\n");
    const std::string barrier = told_of(4, [](KernelPe pe) -> Process {
      if (pe.rank() != 1) co_await pe.barrier();
    });
    CHECK(barrier.find(kFirst) == 0);
    // Rank 2 waits for rank 1 in the first round; rank 3 for rank 1, rank 0 for rank 2 in the second.
    CHECK(barrier.find("the kernel, rank 2 (package0.die0.pe2) waits since 4 ns in barrier 1, round 0: rank 1 did not "
                       "come\n") != std::string::npos);
    for (const char* rank : {"the kernel, rank 0 (package0.die0.pe0) waits since ",
                             "the kernel, rank 3 (package0.die0.pe3) waits since "}) {
      const std::size_t at = barrier.find(rank);
      REQUIRE(at != std::string::npos);
      const std::string line = barrier.substr(at, barrier.find('\n', at) - at);
      CHECK(line.find(" in barrier 1, round 1: rank 1 did not come") != std::string::npos);
    }
    CHECK(barrier.find("channel") == std::string::npos);
    CHECK(barrier.find("units") == std::string::npos);
  }

  TEST_CASE("28.23 past the time limit the same is told") {
    const std::string late = failure_of([] {
      (void)forked([] {
        System system(one_die(), {});
        const auto program = [](KernelPe pe) -> Process {
          if (pe.rank() == 1) co_await pe.recv(pe.tcm(1, 8), 0);
          while (pe.rank() == 0) co_await pe.wait(Pending::nothing());
        };
        KernelLaunch launch("the kernel", program, {0, 1});
        run_launches(system, {&launch}, Picoseconds{1'000'000});
        return std::string();
      });
    });
    CHECK(late ==
          "the simulation passed its time limit of 1 us:\n"
          "  the kernel, rank 0 (package0.die0.pe0) is at work and waits for nobody\n"
          "  the kernel, rank 1 (package0.die0.pe1) waits since 2 ns in recv from rank 0 on channel 0: rank 0 has sent "
          "nothing on it\n");
  }

  TEST_CASE("28.24 messages that nobody has received when a kernel ends are an error with queue, number and bytes") {
    CHECK(told_of(3,
                  [](KernelPe pe) -> Process {
                    const MatrixLayout row = pe.tcm(1, 8);
                    if (pe.rank() == 0) co_await pe.wait(co_await pe.send(row, 1));
                    if (pe.rank() == 0) co_await pe.wait(co_await pe.send(row, 1));
                    if (pe.rank() == 2) static_cast<void>(co_await pe.send(row, 0, 3));
                  }) ==
          "the kernel has ended, and nobody has received what was sent in\n"
          "  the kernel: queue 0 -> 1: 2 messages, 32 bytes\n"
          "  the kernel: queue 2 -> 0 (3): 1 message, 16 bytes\n"
          "expected a recv for every send");
  }

  TEST_CASE("28.25 an exception that leaves a program is told with kernel, rank and time, and keeps its kind") {
    const Mistake throws = [](KernelPe pe) -> Process {
      co_await pe.wait(Pending::nothing());
      if (pe.rank() == 1) throw std::runtime_error("no such thing");
    };
    CHECK(told_of(2, throws) == "the kernel, rank 1, at 2 ns: the kernel throws an exception: no such thing");
    CHECK(forked([]() -> std::string {
            System system(one_die(), {});
            const auto program = [](KernelPe pe) -> Process {
              static_cast<void>(pe.tcm(4096, 4096));
              co_return;
            };
            KernelLaunch launch("the kernel", program, {0});
            try {
              run_launches(system, {&launch});
            } catch (const CapacityError& error) {
              return std::string(error.what()).substr(0, 67);
            }
            return "no error";
          }) == "the kernel, rank 0, at 0 ps: the TCM of package0_die0_pe0 has no ro");
  }
}
