// Kernels that read and write other PEs' memories, and composites whose results stay in TCM.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/hw/values/matrix_values.hpp"
#include "tests/system/kernel_run.hpp"

namespace kernbench::remote_test {
namespace {

// Of the committed machine, in picoseconds.
constexpr std::int64_t kControl = 2000;
constexpr std::int64_t kSetup = 4000;
constexpr std::int64_t kToPe = 10 + 2000 + 40 + 2000 + 10;   // from PE 0 to PE 1: wire, router, wire, router, wire
constexpr std::int64_t kToHbm = 10 + 2000 + 40 + 2000 + 20;  // and to its partition
constexpr std::int64_t kLink = 1000;                         // of a burst of 256 B
constexpr std::int64_t kPort = 500;
constexpr std::int64_t kRead = 8000 + 32'000;  // of HBM

const KernelPe::Element kCounted = [](std::int64_t row, std::int64_t column) {
  return static_cast<float>((row * 7 + column) % 100);
};

KernelPe::Element operand(std::uint64_t matrix) {
  return [matrix](std::int64_t row, std::int64_t column) { return operand_element(matrix, row, column); };
}

/// Rank 1 has a matrix, rank 0 does something with it, and may note down what.
std::string with_remote(bool in_tcm, std::int64_t columns,
                        const std::function<Process(KernelPe, MatrixLayout, Notes*)>& program) {
  return notes_of(2, [&](KernelPe pe, Notes* notes) -> Process {
    const MatrixLayout matrix = in_tcm ? pe.tcm(1, columns) : pe.hbm(1, columns);
    if (pe.rank() == 1) {
      pe.fill(matrix, kCounted);
    } else {
      Process rest = program(pe, pe.of(1, matrix), notes);
      co_await rest.finished();
    }
  });
}

/// Where the bytes of an output went.
std::string bytes_of(System& system, const Stage& stage) {
  Bytes bytes = 0;
  for (const OpChannel& channel : system.log().channels()) {
    if (channel.stage() == stage) bytes += channel.bytes();
  }
  return std::to_string(bytes);
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.15 a load of another PE's partition takes what one's own takes, and the longer way twice") {
    const auto loads = [](KernelPe pe, MatrixLayout there, Notes* notes) -> Process {
      const Operand here = co_await pe.load(there);
      notes->add(co_await pe.wait(here));
      pe.expect(here.matrix, kCounted);
    };
    const std::int64_t one = kControl + kSetup + kToHbm + kRead + kToHbm + kLink;
    CHECK(with_remote(false, 128, loads) == noted({one}));
    // Eight bursts on eight channels: ready together, then one after the other on the links.
    CHECK(with_remote(false, 8 * 128, loads) == noted({one + 7 * kLink}));
  }

  TEST_CASE("28.16 a load of another PE's TCM passes its read port when the request is there") {
    const auto loads = [](KernelPe pe, MatrixLayout there, Notes* notes) -> Process {
      const Operand here = co_await pe.load(there);
      notes->add(co_await pe.wait(here));
      pe.expect(here.matrix, kCounted);
    };
    const std::int64_t one = kControl + kSetup + kToPe + kPort + kToPe + kLink;
    CHECK(with_remote(true, 128, loads) == noted({one}));
    CHECK(with_remote(true, 8 * 128, loads) == noted({one + 7 * kLink}));  // the port is faster
    // Not the owner's alone: PE 2, on the other side, asks at the same instant, and comes behind PE 0.
    CHECK(notes_of(3, [](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout matrix = pe.tcm(1, 128);
            if (pe.rank() == 1) {
              pe.fill(matrix, kCounted);
            } else {
              const Operand here = co_await pe.load(pe.of(1, matrix));
              notes->add(co_await pe.wait(here));
              pe.expect(here.matrix, kCounted);
            }
          }) == noted({one, one + kLink}));  // they share the link from PE 1 to its router
  }

  TEST_CASE("28.16 what the owner's writer sends meanwhile passes the port too, whoever was announced first") {
    // Rank 0 asks for rank 1's matrix; the request is on its way while rank 1 begins to send a message of its own.
    for (const std::int64_t calls : {0, 1, 2, 3, 4}) {
      CAPTURE(calls);
      CHECK(notes_of(3, [calls](KernelPe pe, Notes* notes) -> Process {
              const MatrixLayout matrix = pe.tcm(4, 512);
              if (pe.rank() == 0) {
                const Operand here = co_await pe.load(pe.of(1, matrix));
                co_await pe.wait(here);
                pe.expect(here.matrix, kCounted);
                notes->add("loaded");
              } else if (pe.rank() == 1) {
                pe.fill(matrix, kCounted);
                for (std::int64_t call = 0; call < calls; ++call) co_await pe.wait(Pending::nothing());
                static_cast<void>(co_await pe.send(matrix, 2));
              } else {
                co_await pe.recv(matrix, 1);
                pe.expect(matrix, kCounted);
              }
            }) == "loaded ");
    }
  }

  TEST_CASE("28.15 28.16 a store to another PE's partition or TCM is acknowledged from there") {
    for (const bool tcm : {false, true}) {
      CAPTURE(tcm);
      const std::string notes = notes_of(2, [tcm](KernelPe pe, Notes* notes) -> Process {
        const MatrixLayout from = pe.tcm(1, 128);
        const MatrixLayout to = tcm ? pe.tcm(1, 128) : pe.hbm(1, 128);
        if (pe.rank() == 0) {
          pe.fill(from, kCounted);
          notes->add(co_await pe.wait(co_await pe.store(from, pe.of(1, to))));
          co_await pe.barrier();
        } else {
          co_await pe.barrier();
          pe.expect(to, kCounted);
          notes->add("there");
        }
      });
      const std::int64_t way = tcm ? kToPe : kToHbm;
      CHECK(notes == noted({kControl + kSetup + way + kLink + way}) + "there ");
    }
  }

  TEST_CASE("28.17 a composite streams operands from other PEs' memories; tiles are fetched in their order") {
    // A lies near, B far, so that A's tiles come before B's; A far and B near; and B in the other PE's TCM.
    for (const auto& [a, b, tcm] :
         std::vector<std::tuple<bool, bool, bool>>{{false, true, false}, {true, false, false}, {false, true, true}}) {
      const bool a_far = a;  // clang 14 lets no lambda capture what a tuple was taken apart into
      const bool b_far = b;
      const bool b_in_tcm = tcm;
      CAPTURE(a_far);
      CAPTURE(b_in_tcm);
      CHECK(notes_of(2, [=](KernelPe pe, Notes* notes) -> Process {
              const GemmProblem problem{70, 200, 50};
              GemmCall call{problem, {}};
              call.matrices.a = pe.hbm(70, 200);
              call.matrices.b = b_in_tcm ? pe.tcm(200, 50) : pe.hbm(200, 50);
              call.matrices.c = pe.hbm(70, 50);
              pe.fill(call.matrices.a, operand(kOperandA));
              pe.fill(call.matrices.b, operand(kOperandB));
              if (pe.rank() == 1) co_return;
              // What is far has the right values there alone.
              const KernelPe::Element wrong = [](std::int64_t, std::int64_t) { return 9.0F; };
              if (a_far) pe.fill(call.matrices.a, wrong);
              if (b_far) pe.fill(call.matrices.b, wrong);
              const Operand a = co_await pe.ref(pe.of(a_far ? 1 : 0, call.matrices.a));
              const Operand b = co_await pe.ref(pe.of(b_far ? 1 : 0, call.matrices.b));
              co_await pe.wait(co_await pe.composite(call, a, b));
              GemmReference reference(problem);
              pe.expect(call.matrices.c, std::ref(reference));
              notes->add("right");
            }) == "right ");
    }
  }

  TEST_CASE("28.18 a result in TCM is used by the next composite, takes no HBM, and is complete when it is stored") {
    const NotingProgram program = [](KernelPe pe, Notes* notes) -> Process {
      const GemmProblem problem{64, 64, 64};
      GemmCall first{problem, {}};
      first.matrices.a = pe.hbm(64, 64);
      first.matrices.b = pe.hbm(64, 64);
      first.matrices.c = pe.tcm(64, 64);
      pe.fill(first.matrices.a, operand(kOperandA));
      pe.fill(first.matrices.b, operand(kOperandB));
      const Operand a = co_await pe.ref(first.matrices.a);
      const Operand b = co_await pe.ref(first.matrices.b);
      co_await pe.wait(co_await pe.composite(first, a, b));
      GemmReference reference(problem);
      pe.expect(first.matrices.c, std::ref(reference));
      // Times the identity, which is streamed; and then, element by element, twice that, in TCM.
      GemmCall second{problem, {}};
      second.matrices.b = pe.hbm(64, 64);
      second.matrices.c = pe.tcm(64, 64);
      pe.fill(second.matrices.b, [](std::int64_t row, std::int64_t column) { return row == column ? 1.0F : 0.0F; });
      const Operand identity = co_await pe.ref(second.matrices.b);
      const Operand product = co_await pe.ref(first.matrices.c);
      co_await pe.wait(co_await pe.composite(second, product, identity));
      pe.expect(second.matrices.c, std::ref(reference));
      const MatrixLayout sum = pe.hbm(64, 64);
      const MathCall add{{VectorOp::kAdd, 64, 64}, {first.matrices.c, second.matrices.c, sum}};
      co_await pe.wait(co_await pe.composite(add));
      pe.expect(sum, [&](std::int64_t row, std::int64_t column) { return 2 * reference(row, column); });
      notes->add("right");
    };
    const std::string written =
        notes_of(1, program, one_die(), [](System& system) { return bytes_of(system, kDmaOutStage); });
    CHECK(written == "right " + std::to_string(64 * 64 * 2) + " ");  // the sum alone
    // A, B and the identity, tile by tile for every tile that needs them, and none of what lies in TCM.
    const std::string read =
        notes_of(1, program, one_die(), [](System& system) { return bytes_of(system, kDmaInStage); });
    CHECK(read == "right " + std::to_string(3 * 2 * 64 * 64 * 2) + " ");
  }

  TEST_CASE(
      "28.18 28.21 a composite that reads what the one before still computes is a race; behind a wait it is none") {
    const auto chained = [](bool waits) {
      return notes_of(1, [waits](KernelPe pe, Notes* notes) -> Process {
        const GemmProblem problem{64, 64, 64};
        GemmCall first{problem, {}};
        first.matrices = {pe.hbm(64, 64), pe.hbm(64, 64), pe.tcm(64, 64), {}};
        pe.fill(first.matrices.a, operand(kOperandA));
        pe.fill(first.matrices.b, operand(kOperandB));
        const Operand a = co_await pe.ref(first.matrices.a);
        const Operand b = co_await pe.ref(first.matrices.b);
        const Pending product = co_await pe.composite(first, a, b);
        if (waits) co_await pe.wait(product);
        const MathCall scale{{VectorOp::kScale, 64, 64}, {first.matrices.c, {}, pe.hbm(64, 64)}};
        co_await pe.wait(co_await pe.composite(scale));
        notes->add("done");
      });
    };
    CHECK(chained(true) == "done ");
    const std::string race = chained(false);
    CHECK(race.find("race in the TCM of package0.die0.pe0: at ") == 0);
    CHECK(race.find("package0.die0.pe0's result of tile 1 writes bytes ") == std::string::npos);
    CHECK(race.find("'s result of tile ") != std::string::npos);
    CHECK(race.find("'s composite 1 (scale) reads bytes ") != std::string::npos);
  }

  TEST_CASE("28.14 composites share what holds streamed operands and outputs, and give it back behind the last") {
    const std::string room = notes_of(1, [](KernelPe pe, Notes* notes) -> Process {
      const MathCall one{{VectorOp::kRelu, 64, 64}, {pe.hbm(64, 64), {}, pe.hbm(64, 64)}};
      const MathCall two{{VectorOp::kAdd, 64, 64}, {pe.hbm(64, 64), pe.hbm(64, 64), pe.hbm(64, 64)}};
      const Pending first = co_await pe.composite(one);
      notes->add(std::to_string(pe.tcm(1, 1).base));  // behind 8 operands and 2 outputs of 2 KiB
      co_await pe.wait(first);
      const MatrixLayout low = pe.tcm(1, 1);
      notes->add(std::to_string(low.base));
      pe.release(low);
      static_cast<void>(co_await pe.composite(one));
      const Pending second = co_await pe.composite(two);  // 8 operands more, behind the first of the kernel's own
      notes->add(std::to_string(pe.tcm(1, 1).base));
      co_await pe.wait(second);
      notes->add(std::to_string(pe.tcm(1, 1).base));
    });
    CHECK(room == "20480 0 " + std::to_string(20480 + 256 + 16384) + " 0 ");
    const std::string full = notes_of(
        1,
        [](KernelPe pe, Notes*) -> Process {
          const MathCall one{{VectorOp::kRelu, 64, 64}, {pe.hbm(64, 64), {}, pe.hbm(64, 64)}};
          static_cast<void>(pe.tcm(30, 1024));
          static_cast<void>(co_await pe.composite(one));
        },
        one_die({"pe.tcm.capacity=68 KiB"}));
    CHECK(
        full.find(
            "the kernel, rank 0, at 2 ns: the TCM of package0_die0_pe0 has no room for stages of streamed operands and "
            "outputs, 20480 bytes: of 69632 (pe.tcm.capacity) 61440 are in use: a kernel's buffer 61440") == 0);
  }
}

}  // namespace kernbench::remote_test
