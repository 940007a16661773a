// Epilogues whose second operand is a whole matrix: what they cost, what they compute, and what a kernel may give them.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "sim/hw/values/matrix_values.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

constexpr std::uint64_t kAuxiliary = 7;  // of operand_element

const std::vector<Epilogue> kMultiplies{{VectorOp::kMultiply}};

/// A, B and the auxiliary matrix are loaded; the result stays in TCM. One PE.
Process all_in_tcm(KernelPe pe, GemmProblem problem, std::vector<Picoseconds>* times) {
  GemmCall call{problem};
  const Operand a = co_await pe.load(pe.hbm(problem.m, problem.k));
  const Operand b = co_await pe.load(pe.hbm(problem.k, problem.n));
  call.auxiliary = co_await pe.load(pe.hbm(problem.m, problem.n));
  call.matrices.c = pe.tcm(problem.m, problem.n);
  co_await pe.wait(a);
  co_await pe.wait(b);
  const Picoseconds begin = co_await pe.wait(call.auxiliary);
  const Picoseconds end = co_await pe.wait(co_await pe.composite(call, a, b));
  times->push_back(end - begin);
}

/// From the end of the loads to the end of the composite.
std::int64_t time_of(GemmProblem problem, const std::vector<Epilogue>& epilogues) {
  problem.epilogues = epilogues;
  return std::stoll(forked([&] {
    std::vector<Picoseconds> times;
    (void)run_kernel(milestone(), [&](KernelPe pe) { return all_in_tcm(pe, problem, &times); });
    return std::to_string(times.at(0).value);
  }));
}

/// A kernel that multiplies what `auxiliary` gives; the message of what ends it, or its notes.
std::string with_auxiliary(const std::function<Operand(KernelPe)>& auxiliary) {
  return notes_of(1, [&](KernelPe pe, Notes* notes) -> Process {
    GemmCall call{{64, 64, 64, Layout::kRowMajor, kMultiplies}};
    call.matrices.c = pe.tcm(64, 64);
    call.auxiliary = auxiliary(pe);
    const MatrixLayout a = pe.tcm(64, 64);
    co_await pe.wait(co_await pe.composite(call, Operand{a}, Operand{a}));
    notes->add("done");
  });
}

MatrixLayout blocked_by(MatrixLayout matrix, std::int64_t rows, std::int64_t columns) {
  matrix.layout = Layout::kBlocked;
  matrix.tile_rows = rows;
  matrix.tile_columns = columns;
  return matrix;
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.12 a block of the auxiliary matrix is fetched with the last K tile, and one pass works on it") {
    // Control for composite and wait; dispatch, fetch of the first tile, the array, its fill, the store.
    constexpr std::int64_t kCalls = 2000;
    const auto plain = [](std::int64_t tiles) { return kCalls + 1000 + 16'000 + tiles * 16'000 + 8000 + 4000; };
    for (const std::int64_t tiles : {1, 2, 5}) {
      CAPTURE(tiles);
      const GemmProblem problem{32, 64 * tiles, 32};
      CHECK(time_of(problem, {}) == plain(tiles));
      // 2 KiB more to fetch at 512 GB/s; 1024 elements on 128 lanes, and the unit's latency.
      CHECK(time_of(problem, kMultiplies) == plain(tiles) + 4000 + 8000 + 4000);
      CHECK(time_of(problem, {{VectorOp::kAdd}}) == time_of(problem, kMultiplies));
      // Both use the one block.
      CHECK(time_of(problem, {{VectorOp::kAdd}, {VectorOp::kMultiply}}) == time_of(problem, kMultiplies) + 8000);
    }
    // One K tile an output: fetch is what takes longest, 20 ns; the array waits for it.
    CHECK(time_of({32, 64, 32 * 7}, kMultiplies) - time_of({32, 64, 32 * 6}, kMultiplies) == 20'000);
    CHECK(time_of({32, 64, 32 * 7}, {}) - time_of({32, 64, 32 * 6}, {}) == 16'000);
    // Of an edge tile what is valid: 8 x 18 elements of 2 bytes at 512 GB/s, half a nanosecond and a bit, two passes'
    // cycles.
    const std::int64_t edge = time_of({8, 64, 18}, kMultiplies) - time_of({8, 64, 18}, {});
    CHECK(edge == (8 * 18 * 2 * 1000 + 511) / 512 + 2000 + 4000);
  }

  TEST_CASE("6.12 any shape and machine: the values are those of the matrix' own elements") {
    CHECK(rc::check("auxiliary matrices", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      MachineSpec machine = one_die({"die.hbm.burst=32B", "simulation.packet_bytes=64B"});
      machine.pe.mac.tile = {up_to(6), up_to(9), up_to(6)};
      machine.pe.mac.operand_registers = up_to(3);
      machine.pe.mac.accumulators = up_to(3);
      machine.pe.vector.lanes = up_to(40);
      GemmProblem problem{up_to(20), up_to(30), up_to(20)};
      const auto op = *rc::gen::element(VectorOp::kAdd, VectorOp::kMultiply);
      problem.epilogues = {{op}, {VectorOp::kRelu}};
      if (*rc::gen::arbitrary<bool>()) {
        problem.epilogues.insert(problem.epilogues.begin(), {VectorOp::kScale, EpilogueScope::kKTile});
      }
      const bool blocked = *rc::gen::arbitrary<bool>();
      const std::string notes = notes_of(
          1,
          [=](KernelPe pe, Notes* notes) -> Process {
            GemmCall call{problem};
            const MatrixLayout a = pe.tcm(problem.m, problem.k);
            const MatrixLayout b = pe.tcm(problem.k, problem.n);
            const TileShape& tile = pe.machine().pe.mac.tile;
            MatrixLayout auxiliary = pe.tcm(problem.m, problem.n);
            if (blocked) auxiliary = pe.tcm(blocked_by(auxiliary, tile.m, tile.n));
            pe.fill(a, operand_values(kOperandA));
            pe.fill(b, operand_values(kOperandB));
            pe.fill(auxiliary, operand_values(kAuxiliary));
            call.auxiliary = Operand{auxiliary};
            call.matrices.c = pe.tcm(problem.m, problem.n);
            // One without an auxiliary matrix before and behind: sets are shared.
            GemmCall plain{{problem.m, problem.k, problem.n}};
            plain.matrices.c = pe.tcm(problem.m, problem.n);
            GemmCall last = plain;
            last.matrices.c = pe.tcm(problem.m, problem.n);
            static_cast<void>(co_await pe.composite(plain, Operand{a}, Operand{b}));
            static_cast<void>(co_await pe.composite(call, Operand{a}, Operand{b}));
            co_await pe.wait(co_await pe.composite(last, Operand{a}, Operand{b}));
            GemmReference product(plain.problem);
            const bool halved = problem.epilogues.size() > 2;
            pe.expect(call.matrices.c, [&](std::int64_t row, std::int64_t column) {
              const float value = product(row, column) * (halved ? 0.5F : 1.0F);
              const float other = operand_element(kAuxiliary, row, column);
              return std::max(0.0F, op == VectorOp::kAdd ? value + other : value * other);
            });
            pe.expect(plain.matrices.c, std::ref(product));
            pe.expect(last.matrices.c, std::ref(product));
            notes->add("right");
          },
          machine);
      RC_LOG() << notes;
      RC_ASSERT(notes == "right ");
    }));
  }
}

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.22 an auxiliary matrix that is not there, of another shape or blocked otherwise is told of") {
    const std::string where = "the kernel, rank 0, at 2 ns: ";
    CHECK(with_auxiliary([](KernelPe pe) { return Operand{pe.tcm(64, 64)}; }) == "done ");
    CHECK(with_auxiliary([](KernelPe) { return Operand{}; }) ==
          where +
              "the auxiliary matrix of a composite (epilogue multiply or add) is not in TCM: load it, or compute it "
              "there, first");
    CHECK(with_auxiliary([](KernelPe pe) { return Operand{pe.hbm(64, 64)}; }).find("is not in TCM: load it") !=
          std::string::npos);
    CHECK(with_auxiliary([](KernelPe pe) { return Operand{pe.tcm(64, 32)}; }) ==
          where + "the auxiliary matrix of a composite has 64 x 32 elements: expected those of its result, 64 x 64");
    CHECK(with_auxiliary([](KernelPe pe) { return Operand{blocked_by(pe.tcm(64, 64), 32, 64)}; }) ==
          where +
              "the auxiliary matrix of a composite is blocked by 32 x 64 elements: expected tiles of its result, "
              "32 x 32, or row_major");
    const std::string early = notes_of(1, [](KernelPe pe, Notes* /*notes*/) -> Process {
      GemmCall call{{64, 64, 64, Layout::kRowMajor, kMultiplies}};
      call.matrices.c = pe.tcm(64, 64);
      const MatrixLayout a = pe.tcm(64, 64);
      call.auxiliary = co_await pe.load(pe.hbm(64, 64));
      static_cast<void>(co_await pe.composite(call, Operand{a}, Operand{a}));
    });
    CHECK(early.find("the auxiliary matrix is used before its load is complete: wait for it first") !=
          std::string::npos);
  }

  TEST_CASE("28.21 28.22 a composite reads its auxiliary matrix until its end: who writes it meanwhile is a race") {
    const auto raced = [](bool own_result) {
      return notes_of(1, [own_result](KernelPe pe, Notes* notes) -> Process {
        GemmCall call{{64, 64, 64, Layout::kRowMajor, kMultiplies}};
        const MatrixLayout a = pe.tcm(64, 64);
        const MatrixLayout auxiliary = pe.tcm(64, 64);
        const MatrixLayout other = pe.hbm(64, 64);
        call.matrices.c = own_result ? auxiliary : pe.tcm(64, 64);
        call.auxiliary = Operand{auxiliary};
        for (const MatrixLayout& matrix : {a, auxiliary, other}) pe.fill(matrix, operand_values(kAuxiliary));
        const Pending product = co_await pe.composite(call, Operand{a}, Operand{a});
        if (!own_result) static_cast<void>(co_await pe.load(other, auxiliary));
        co_await pe.wait(product);
        notes->add("done");
      });
    };
    for (const bool own_result : {false, true}) {
      CAPTURE(own_result);
      const std::string race = raced(own_result);
      CHECK(race.find("race in the TCM of package0.die0.pe0: at ") != std::string::npos);
      CHECK(race.find("'s composite 0 (gemm) reads bytes ") != std::string::npos);
    }
  }
}
