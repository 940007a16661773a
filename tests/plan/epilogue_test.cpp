// Element-wise work: what it costs, what it computes, and how it is written.
#include "sim/plan/epilogue.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/errors.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/math_plan.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::string error_of(std::string_view text) {
  try {
    (void)parse_epilogues(text);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// Vector cycles of the tiles of one output of 20 x 30 elements and three K tiles: 600 elements, 5 per lane.
std::vector<Cycles> cycles_of(std::string_view epilogues) {
  const MachineSpec machine = milestone();
  GemmProblem problem{20, 150, 30};
  problem.epilogues = parse_epilogues(epilogues);
  const TilePlan plan = make_gemm_plan(problem, place_gemm(problem, machine), machine.pe);
  std::vector<Cycles> cycles;
  for (std::int64_t t = 0; t < plan.tiles; ++t) cycles.push_back(plan.step(t).vector_cycles);
  return cycles;
}

}  // namespace

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.9 an epilogue costs its passes over the output; one on K tiles costs every tile a pass more") {
    CHECK(cycles_of("") == std::vector<Cycles>{0, 0, 0});
    CHECK(cycles_of("relu") == std::vector<Cycles>{0, 0, 5});
    CHECK(cycles_of("bias,gelu") == std::vector<Cycles>{0, 0, 9 * 5});
    CHECK(cycles_of("silu") == std::vector<Cycles>{0, 0, 6 * 5});
    CHECK(cycles_of("scale@k_tile") == std::vector<Cycles>{2 * 5, 2 * 5, 2 * 5});
    CHECK(cycles_of("scale@k_tile,bias,gelu") == std::vector<Cycles>{2 * 5, 2 * 5, 11 * 5});
  }

  TEST_CASE("6.9 element-wise composites work on m x n tiles, stream all operands and bypass the array") {
    const MachineSpec machine = milestone();
    for (const VectorOp op :
         {VectorOp::kScale, VectorOp::kAdd, VectorOp::kMultiply, VectorOp::kRelu, VectorOp::kGelu, VectorOp::kSilu}) {
      const MathProblem problem{op, 40, 50};
      const MathMatrices matrices = place_math(problem, machine);
      const TilePlan plan = make_math_plan(problem, matrices, machine.pe);
      const std::int64_t operands = op == VectorOp::kAdd || op == VectorOp::kMultiply ? 2 : 1;
      REQUIRE(plan.tiles == 4);
      const TileStep edge = plan.step(3);
      CHECK(edge.index == TileIndex{1, 1, 0});
      CHECK(edge.streamed() == operands);
      CHECK(edge.fetch_bytes == operands * 8 * 18 * 2);
      CHECK(edge.macs == 0);
      const std::int64_t passes = op == VectorOp::kGelu ? 8 : op == VectorOp::kSilu ? 6 : 1;
      CHECK(edge.vector_cycles == passes * 2);  // 144 elements on 128 lanes
      CHECK(edge.output.block.bytes() == 8 * 18 * 2);
      CHECK(matrices.c.base == operands * 8192);
    }
    CHECK_THROWS_WITH_AS(
        (void)place_math({VectorOp::kBias, 1, 1}, machine),
        "operation 'bias' is an epilogue: expected one of scale, add, multiply, relu, gelu, silu, row_sum, row_max",
        ConfigError);
  }

  TEST_CASE("6.13 a class of operations takes its rate, rounded up once for each piece of work") {
    VectorUnitSpec unit{.lanes = 10};
    unit.rates.special = 300'000;
    unit.rates.reduce = 1'500'000;
    unit.rates.convert = 4'000'000;
    CHECK(vector_cycles(unit, {.arithmetic = 3}, 101) == 33);
    CHECK(vector_cycles(unit, {.special = 1}, 101) == 37);  // 11 ÷ 0.3
    CHECK(vector_cycles(unit, {.special = 2}, 101) == 74);  // 22 ÷ 0.3
    CHECK(vector_cycles(unit, {.reduce = 1}, 101) == 8);    // 11 ÷ 1.5
    CHECK(vector_cycles(unit, {.convert = 1}, 101) == 3);   // 11 ÷ 4
    CHECK(vector_cycles(unit, {.convert = 1}, 1) == 1);
    CHECK(vector_cycles(unit, {3, 1, 1, 1}, 101) == 33 + 37 + 8 + 3);
    CHECK(vector_cycles(unit, {}, 101) == 0);
    // With nothing said a special function is four operations.
    const VectorUnitSpec plain{.lanes = 10};
    for (const std::int64_t elements : {1, 9, 10, 11, 101}) {
      CHECK(vector_cycles(plain, vector_work(VectorOp::kGelu), elements) == 8 * ((elements + 9) / 10));
      CHECK(vector_cycles(plain, vector_work(VectorOp::kSilu), elements) == 6 * ((elements + 9) / 10));
    }
  }

  TEST_CASE("6.14 rows are reduced tile by tile, as K tiles of one output are added up") {
    MachineSpec machine = milestone();
    machine.pe.vector.rates.reduce = 500'000;
    const MathProblem problem{VectorOp::kRowSum, 40, 70};
    const MathMatrices matrices = place_math(problem, machine);
    CHECK(matrices.c.rows == 40);
    CHECK(matrices.c.columns == 1);
    const TilePlan plan = make_math_plan(problem, matrices, machine.pe);
    REQUIRE(plan.tiles == 6);
    REQUIRE(plan.outputs == 2);
    for (std::int64_t t = 0; t < 6; ++t) {
      const TileStep step = plan.step(t);
      CAPTURE(t);
      CHECK(step.index == TileIndex{t / 3, t % 3, 0});
      CHECK(step.partial);
      CHECK(step.first == (t % 3 == 0));
      CHECK(step.last == (t % 3 == 2));
      const std::int64_t rows = t < 3 ? 32 : 8;
      const std::int64_t columns = t % 3 < 2 ? 32 : 6;
      CHECK(step.vector_cycles == 2 * ceil_div(rows * columns, 128) + 1);
      CHECK(step.output.block.bytes() == (t % 3 == 2 ? rows * 2 : 0));
    }
  }

  TEST_CASE("6.14 a reduction is no epilogue") {
    CHECK(error_of("row_sum") == "unknown epilogue 'row_sum'. There are: scale, bias, relu, gelu, silu");
    GemmProblem problem{20, 150, 30};
    problem.epilogues = {{VectorOp::kRowMax}};
    const MachineSpec machine = milestone();
    CHECK_THROWS_WITH_AS((void)make_gemm_plan(problem, place_gemm(problem, machine), machine.pe),
                         "epilogue 'row_max': a reduction is a composite of its own, as its result has another shape",
                         ConfigError);
  }

  TEST_CASE("6.9 values of the operations") {
    CHECK(apply_vector_op(VectorOp::kScale, 3, 0.5F) == 1.5F);
    CHECK(apply_vector_op(VectorOp::kMultiply, 3, -2) == -6);
    CHECK(apply_vector_op(VectorOp::kBias, 3, -2) == 1);
    CHECK(apply_vector_op(VectorOp::kAdd, 3, 4) == 7);
    CHECK(apply_vector_op(VectorOp::kRelu, -3, 9) == 0);
    CHECK(apply_vector_op(VectorOp::kRelu, 3, 9) == 3);
    CHECK(apply_vector_op(VectorOp::kGelu, 0, 9) == 0);
    CHECK(apply_vector_op(VectorOp::kGelu, 1, 9) == doctest::Approx(0.841192).epsilon(1e-5));
    CHECK(apply_vector_op(VectorOp::kGelu, -2, 9) == doctest::Approx(-0.045402).epsilon(1e-4));
    CHECK(apply_vector_op(VectorOp::kSilu, 0, 9) == 0);
    CHECK(apply_vector_op(VectorOp::kSilu, 1, 9) == doctest::Approx(0.7310586).epsilon(1e-6));
    CHECK(apply_vector_op(VectorOp::kSilu, -2, 9) == doctest::Approx(-0.2384058).epsilon(1e-6));
    CHECK(apply_vector_op(VectorOp::kSilu, -1000, 9) == 0);
    CHECK(apply_vector_op(VectorOp::kSilu, 1000, 9) == 1000);
  }

  TEST_CASE("6.12 what takes a matrix is refused where none can be given, with what needs none") {
    for (const std::string op : {"add", "multiply"}) {
      const std::string refusal = "epilogue '" + op +
                                  "' takes a matrix of the result's shape in TCM, which only a kernel can give it "
                                  "(GemmCall::auxiliary, docs/kernels.md); here expected one of scale, bias, relu, "
                                  "gelu, silu";
      CHECK(error_of(op) == refusal);
      CHECK(error_of("bias," + op) == refusal);
      GemmProblem problem{20, 150, 30};
      problem.epilogues = {{*kVectorOps.find(op)}};
      CHECK_THROWS_WITH_AS((void)place_gemm(problem, milestone()), refusal.c_str(), ConfigError);
    }
  }

  TEST_CASE("6.12 the auxiliary matrix takes room in TCM, and its block is fetched with the last K tile") {
    const MachineSpec machine = milestone();
    GemmProblem problem{40, 150, 50};
    GemmMatrices matrices = place_gemm(problem, machine);
    const Bytes without = tcm_bytes_needed(problem, matrices, machine.pe);
    const TilePlan plain = make_gemm_plan(problem, matrices, machine.pe);
    problem.epilogues = {{VectorOp::kMultiply}};
    matrices.auxiliary = {Layout::kRowMajor, 40, 50, 32, 32, 4096, 256, kOwnTcm};
    CHECK(tcm_bytes_needed(problem, matrices, machine.pe) == without + 4096);  // 40 x 50 x 2 bytes in whole bursts
    const TilePlan plan = make_gemm_plan(problem, matrices, machine.pe);
    REQUIRE(plan.tiles == 12);
    REQUIRE(plan.resident.size() == plain.resident.size() + 1);
    CHECK(plan.resident.back().base == 4096);
    for (std::int64_t t = 0; t < plan.tiles; ++t) {
      CAPTURE(t);
      const bool last = t % 3 == 2;
      CHECK(plan.step(t).auxiliary.bytes() == (last ? plan.step(t).output.rows * plan.step(t).output.columns * 2 : 0));
      CHECK(plan.step(t).fetch_bytes == plain.step(t).fetch_bytes + plan.step(t).auxiliary.bytes());
    }
    CHECK(plan.step(11).auxiliary.address == 4096 + (32 * 50 + 32) * 2);
  }

  TEST_CASE("6.9 epilogues are written as a list of names; what does not work is refused with what does") {
    const auto parsed = parse_epilogues("scale@k_tile,bias,relu");
    REQUIRE(parsed.size() == 3);
    CHECK(parsed[0].op == VectorOp::kScale);
    CHECK(parsed[0].scope == EpilogueScope::kKTile);
    CHECK(parsed[1].op == VectorOp::kBias);
    CHECK(parsed[2].op == VectorOp::kRelu);
    CHECK(parsed[2].scope == EpilogueScope::kOutputTile);
    CHECK(parse_epilogues("").empty());
    CHECK(error_of("rely") == "unknown epilogue 'rely': did you mean 'relu'? There are: scale, bias, relu, gelu, silu");
    CHECK(error_of(" relu") ==
          "unknown epilogue ' relu': did you mean 'relu'? There are: scale, bias, relu, gelu, silu");
    for (const std::string wrong : {"relu,", ",relu", "relu,,bias", ","}) {
      CHECK(error_of(wrong) == "unknown epilogue ''. There are: scale, bias, relu, gelu, silu");
    }
    for (const std::string wrong : {"bias@k_tile", "scale@tile", "scale@"}) {
      CHECK(error_of(wrong).find("epilogue '" + wrong + "': only scale@k_tile works on partial products") == 0);
    }
  }
}
