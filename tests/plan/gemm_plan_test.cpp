// The tile plan of a GEMM: each (i, j, k) once and in order, and nothing lost at the edges.
#include "sim/plan/gemm_plan.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/base/errors.hpp"
#include "tests/plan/random_problem.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

std::int64_t pieces(std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; }

/// Valid elements of piece `i` of a dimension.
std::int64_t valid(std::int64_t size, std::int64_t tile, std::int64_t i) {
  return i + 1 == pieces(size, tile) ? size - i * tile : tile;
}

TilePlan plan_of(const GemmProblem& problem, Residency residency, const MachineSpec& machine) {
  return make_gemm_plan(problem, loaded(problem, place_gemm(problem, machine), residency), machine.pe);
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.1 6.2 each tile (i, j, k) occurs once, output tiles row by row and K innermost") {
    CHECK(rc::check("order of tiles", [] {
      const MachineSpec machine = random_machine();
      const TileShape tile = machine.pe.mac.tile;
      const GemmProblem problem = random_problem();
      const TilePlan plan = plan_of(problem, random_residency(), machine);
      std::int64_t t = 0;
      std::int64_t useful_macs = 0;
      for (std::int64_t i = 0; i * tile.m < problem.m; ++i) {
        for (std::int64_t j = 0; j * tile.n < problem.n; ++j) {
          for (std::int64_t k = 0; k * tile.k < problem.k; ++k, ++t) {
            const TileStep step = plan.step(t);
            RC_ASSERT(step.index == (TileIndex{i, j, k}));
            RC_ASSERT(step.tile == t);
            RC_ASSERT(step.first == (k == 0));
            RC_ASSERT(step.last == ((k + 1) * tile.k >= problem.k));
            RC_ASSERT(step.output.rows == valid(problem.m, tile.m, i));
            RC_ASSERT(step.output.columns == valid(problem.n, tile.n, j));
            RC_ASSERT(step.inner == valid(problem.k, tile.k, k));
            useful_macs += step.output.rows * step.output.columns * step.inner;
          }
        }
      }
      RC_ASSERT(plan.tiles == t);
      RC_ASSERT(plan.outputs == pieces(problem.m, tile.m) * pieces(problem.n, tile.n));
      RC_ASSERT(useful_macs == problem.m * problem.k * problem.n);
    }));
  }

  TEST_CASE("6.2 tile (i, j, k) streams block (i, k) of A, then (k, j) of B; its output is block (i, j) of C") {
    const MachineSpec machine = milestone();
    const GemmProblem problem{64, 192, 96};
    const GemmMatrices matrices = place_gemm(problem, machine);
    const TileStep step = make_gemm_plan(problem, matrices, machine.pe).step((1 * 3 + 2) * 3 + 2);
    REQUIRE(step.streamed() == 2);
    CHECK(step.operands[0].address == matrices.a.tile(1, 2).address);
    CHECK(step.operands[1].address == matrices.b.tile(2, 2).address);
    CHECK(step.output.block.address == matrices.c.tile(1, 2).address);
    CHECK(step.slot == 17 % 8);
  }

  TEST_CASE("6.3 A lies at 0, then B, C and the bias, each at the next multiple of burst x pseudo-channels") {
    CHECK(rc::check("placement", [] {
      const MachineSpec machine = random_machine();
      GemmProblem problem = random_problem();
      problem.epilogues = {{VectorOp::kBias}};
      const GemmMatrices matrices = place_gemm(problem, machine);
      Address next = 0;
      for (const MatrixLayout& matrix : {matrices.a, matrices.b, matrices.c, matrices.bias}) {
        RC_ASSERT(matrix.base == next);
        RC_ASSERT(matrix.layout == problem.layout);
        next += matrix.footprint();
        while (next % (256 * 8) != 0) ++next;
      }
      RC_ASSERT(matrices.bias.rows == 1);
      RC_ASSERT(matrices.bias.columns == problem.n);
    }));
  }

  TEST_CASE("6.3 matrices that do not fit the partition are refused with the bytes that are missing") {
    MachineSpec machine = milestone();
    machine.die.hbm.capacity = 8192;  // A and B take 4096 bytes each, C 2048
    CHECK(
        error_of([&] {
          (void)place_gemm({32, 64, 32}, machine);
        }) ==
        "the matrices take 10240 bytes of HBM and the partition holds 8192 (die.hbm.capacity): 2048 bytes are missing");
    machine.die.hbm.capacity = 10240;
    CHECK(error_of([&] { (void)place_gemm({32, 64, 32}, machine); }).empty());
    CHECK(error_of([&] { (void)place_gemm({0, 64, 32}, machine); }) == "dimension m is 0: expected 1 to 1000000");
    CHECK(error_of([&] {
            (void)place_gemm({32, 1'000'001, 32}, machine);
          }) == "dimension k is 1000001: expected 1 to 1000000");
  }

  TEST_CASE("6.7 transfers, fetches and outputs hold the valid elements; the array pads tiles where it has no shape") {
    CHECK(rc::check("sizes", [] {
      const MachineSpec machine = random_machine();
      const TileShape tile = machine.pe.mac.tile;
      const GemmProblem problem = random_problem();
      const Residency residency = random_residency();
      const TilePlan plan = plan_of(problem, residency, machine);
      Bytes a = 0;
      Bytes b = 0;
      Bytes c = 0;
      Bytes fetched = 0;
      for (std::int64_t t = 0; t < plan.tiles; ++t) {
        const TileStep step = plan.step(t);
        if (step.streams(0)) a += step.operands[0].bytes();
        if (step.streams(1)) b += step.operands[1].bytes();
        RC_ASSERT(step.streamed() == (residency.a ? 0 : 1) + (residency.b ? 0 : 1));
        RC_ASSERT(step.streamed_bytes() ==
                  (residency.a ? 0 : step.operands[0].bytes()) + (residency.b ? 0 : step.operands[1].bytes()));
        RC_ASSERT(step.fetch_bytes == (step.output.rows + step.output.columns) * step.inner * 2);
        const std::int64_t valid = step.output.rows * step.inner * step.output.columns;
        RC_ASSERT(step.macs == (machine.pe.mac.has_shape() ? valid : tile.m * tile.k * tile.n));
        if (step.last) RC_ASSERT(step.output.block.bytes() == step.output.rows * step.output.columns * 2);
        fetched += step.fetch_bytes;
        c += step.last ? step.output.block.bytes() : 0;
      }
      const std::int64_t m_tiles = pieces(problem.m, tile.m);
      const std::int64_t n_tiles = pieces(problem.n, tile.n);
      RC_ASSERT(a == (residency.a ? 0 : n_tiles * problem.m * problem.k * 2));
      RC_ASSERT(b == (residency.b ? 0 : m_tiles * problem.k * problem.n * 2));
      RC_ASSERT(c == problem.m * problem.n * 2);
      RC_ASSERT(fetched == (n_tiles * problem.m + m_tiles * problem.n) * problem.k * 2);
    }));
  }

  TEST_CASE("6.10 what is told to do about it can be done") {
    const auto told = [](std::int64_t stream_depth, std::int64_t output_depth) {
      MachineSpec machine = milestone({"pe.mac.rates.tf32=1"});
      machine.pe.tcm.capacity = 1000;
      machine.pe.stream_depth = stream_depth;
      machine.pe.output_depth = output_depth;
      const std::string text =
          error_of([&] { (void)plan_of({.m = 32, .k = 64, .n = 32, .dtype = Dtype::kTf32}, {}, machine); });
      return text.substr(text.find(';') + 2);
    };
    const std::string always = "enlarge the TCM, take smaller tiles (--map tile=MxKxN), or ";
    CHECK(told(2, 2) == always + "lower pe.stream_depth or pe.output_depth");
    CHECK(told(1, 2) == always + "lower pe.output_depth");
    CHECK(told(2, 1) == always + "lower pe.stream_depth");
    CHECK(told(1, 1) == always + "a dtype of fewer bytes");
  }

  TEST_CASE("6.10 a plan that does not fit the TCM says how many bytes are missing; one byte more and it fits") {
    const auto check_need = [](const GemmProblem& problem, Residency residency, Bytes needed) {
      MachineSpec machine = milestone();
      const auto plan = [&] { (void)plan_of(problem, residency, machine); };
      machine.pe.tcm.capacity = needed;
      CHECK(error_of(plan).empty());
      machine.pe.tcm.capacity = needed - 1;
      CHECK(error_of(plan).find(": 1 byte is missing;") != std::string::npos);
      machine.pe.tcm.capacity = 1000;
      CHECK(error_of(plan).find("needs " + std::to_string(needed) + " bytes and pe.tcm.capacity is 1000: " +
                                std::to_string(needed - 1000) + " bytes are missing") != std::string::npos);
    };
    const Bytes outputs = 2 * 32 * 32 * 2;
    const Bytes streamed = 8 * 32 * 64 * 2;                   // of either operand
    check_need({100, 100, 100}, {}, outputs + 2 * streamed);  // the problem's size does not matter
    check_need({64, 128, 64}, {true, false}, outputs + 16384 + streamed);
    check_need({64, 128, 64}, {true, true}, outputs + 16384 + 16384);
    check_need({33, 65, 1}, {true, false}, outputs + 4 * 4096 + streamed);  // four slots, three of them hardly filled
    check_need({33, 65, 1, Layout::kRowMajor}, {true, false},
               outputs + 17 * 256 + streamed);  // 4290 bytes in whole bursts
    check_need({64, 128, 70, Layout::kBlocked, {{VectorOp::kBias}}}, {},
               outputs + 2 * streamed + 256);  // a bias takes whole bursts
  }

  TEST_CASE("6.10 what does not fit is told what else may be streamed, and nothing that is streamed already") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 1000;
    const auto hint = [&machine](Residency residency) {
      const std::string error = error_of([&] { (void)plan_of({64, 128, 64}, residency, machine); });
      return error.substr(error.find("missing; ") + 9);
    };
    CHECK(hint({true, true}) == "stream an operand (variant ref_ref or load_ref) or enlarge the TCM");
    CHECK(hint({true, false}) == "stream this operand too (variant ref_ref) or enlarge the TCM");
    CHECK(hint({}) ==
          "enlarge the TCM, take smaller tiles (--map tile=MxKxN), or lower pe.stream_depth or pe.output_depth");
  }

  TEST_CASE("6.11 a shape is under-tile when one of its sides is shorter than the tile's") {
    const TileShape tile{32, 64, 32};
    CHECK_FALSE(GemmProblem{32, 64, 32}.under_tile(tile));
    CHECK(GemmProblem{31, 64, 32}.under_tile(tile));
    CHECK(GemmProblem{32, 63, 32}.under_tile(tile));
    CHECK(GemmProblem{32, 64, 31}.under_tile(tile));
    CHECK_FALSE(GemmProblem{33, 65, 33}.under_tile(tile));
  }
}
