// Rates of the vector unit by class of operation, and reductions along rows, as they run.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/plan/random_problem.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::vector_rates_test {
namespace {

Picoseconds busy_of_vector_unit(const Observed& run) {
  Picoseconds busy{};
  for (const OpRecord& work : run.of("vector")) busy += work.end - work.start;
  return busy;
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.13 the rate of special functions is felt where there are some, and nowhere else") {
    const auto gemm = [](const std::string& epilogues, const std::vector<std::string>& overrides) {
      const GemmProblem problem{.m = 32, .k = 64, .n = 32, .epilogues = parse_epilogues(epilogues)};
      return busy_of_vector_unit(simulate_gemm(milestone(overrides), problem, "load_load", true));
    };
    const auto math = [](VectorOp op, const std::vector<std::string>& overrides) {
      return busy_of_vector_unit(simulate_math(milestone(overrides), {op, 32, 32}, true));
    };
    // 1024 elements on 128 lanes: 8 cycles of a nanosecond for each operation.
    const std::vector<std::pair<std::string, int>> cycles{{"0.25", 32}, {"0.3", 27}, {"1", 8}, {"8", 1}};
    for (const auto& at : cycles) {
      const std::string rate = "pe.vector.rates.special=" + at.first;
      const int special = at.second;
      const std::vector<std::string> rates{rate};
      CAPTURE(rate);
      CHECK(gemm("bias,gelu", rates) == from_ns(8 + 4 * 8 + special));
      CHECK(gemm("silu", rates) == from_ns(2 * 8 + special));
      CHECK(gemm("bias,relu", rates) == from_ns(2 * 8));
      CHECK(math(VectorOp::kGelu, rates) == from_ns(4 * 8 + special));
      CHECK(math(VectorOp::kAdd, rates) == from_ns(8));
      CHECK(math(VectorOp::kRowSum, rates) == from_ns(8 + 1));
    }
    CHECK(math(VectorOp::kRowSum, {"pe.vector.rates.reduce=0.5"}) == from_ns(16 + 1));
    CHECK(math(VectorOp::kRowMax, {"pe.vector.rates.reduce=3"}) == from_ns(3 + 1));
    CHECK(math(VectorOp::kGelu, {"pe.vector.rates.reduce=0.5"}) == from_ns(64));
  }

  TEST_CASE("6.14 a reduction of any matrix on any machine is right, and its ledger closes") {
    CHECK(rc::check([] {
      MachineSpec machine = random_machine();
      machine.pe.mac.accumulators = random_size(3);
      const Layout layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const MathProblem problem{*rc::gen::element(VectorOp::kRowSum, VectorOp::kRowMax), random_size(100),
                                random_size(200), layout};
      const Observed run = simulate_math(machine, problem, true);
      const TileShape& tile = machine.pe.mac.tile;
      const std::int64_t row_tiles = ceil_div(problem.rows, tile.m);
      RC_ASSERT(run.result.tiles == row_tiles * ceil_div(problem.columns, tile.n));
      RC_ASSERT(static_cast<std::int64_t>(run.of("vector").size()) == run.result.tiles);
      RC_ASSERT(static_cast<std::int64_t>(run.of("store").size()) == row_tiles);
      RC_ASSERT(run.result.hbm_written == problem.rows * 2);
      for (const LedgerTotals& totals : {run.result.ledger.time, run.result.ledger.path}) {
        RC_ASSERT(totals.sum() == run.result.pe.length());
        RC_ASSERT(totals.of(Cause::kUntold) == Picoseconds{});
      }
    }));
  }

  TEST_CASE("6.14 a kernel's reduction takes a result of one column") {
    const auto refusal = [](std::int64_t columns) {
      return failure_of([=] {
        (void)simulate(milestone(), [=](KernelPe pe) -> Process {
          MathCall call{{.op = VectorOp::kRowMax}, {}};
          call.matrices.a = pe.tcm(64, 100);
          call.matrices.c = pe.tcm(64, columns);
          pe.fill(call.matrices.a,
                  [](std::int64_t row, std::int64_t column) { return static_cast<float>(row - column); });
          co_await pe.wait(co_await pe.composite(call));
        });
      });
    };
    CHECK(refusal(1).empty());
    const std::string wide = refusal(100);
    CHECK_MESSAGE(wide.find("composite: C is 64 x 100 and A 64 x 100: expected 64 x 1") != std::string::npos, wide);
  }
}

}  // namespace kernbench::vector_rates_test
