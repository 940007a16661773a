// Operators: the least they move, what the vector unit does for them, shares, pieces.
#include "sim/plan/operators/operator_plan.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/plan/operators/operator_bound.hpp"
#include "sim/plan/operators/operator_work.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/random_operator.hpp"

using namespace kernbench;

namespace {

OperatorPlan plan_of(const OperatorProblem& problem, const MachineSpec& machine, std::int64_t pes = 1) {
  return plan_operator(problem, machine, pes, machine.pe.tcm.capacity);
}

/// How often each element of a share is in a piece that does something.
std::vector<int> times_seen(const OperatorShare& share, std::int64_t elements, bool OperatorPiece::*does) {
  std::vector<int> seen(static_cast<std::size_t>(elements));
  for (const OperatorPiece& piece : share.pieces) {
    RC_ASSERT(piece.begin >= 0 && piece.begin + piece.elements <= elements);
    for (std::int64_t i = 0; i < piece.elements && piece.*does; ++i) {
      ++seen[static_cast<std::size_t>(piece.begin + i)];
    }
  }
  return seen;
}

}  // namespace

TEST_SUITE("ADR-0043") {
  TEST_CASE("43.2 the least bytes are each matrix once") {
    const auto least = [](Operator op, Dtype dtype) {
      const OperatorProblem problem{op, 2, 3, 10, dtype};
      return std::pair(problem.least_read(), problem.least_written());
    };
    using Moved = std::pair<Bytes, Bytes>;
    CHECK(least(Operator::kLayerNorm, Dtype::kBf16) == Moved(2 * (60 + 20), 120));
    CHECK(least(Operator::kRmsNorm, Dtype::kFp32) == Moved(4 * (60 + 10), 240));
    CHECK(least(Operator::kGelu, Dtype::kFp16) == Moved(120, 120));
    CHECK(least(Operator::kSwish, Dtype::kFp16) == Moved(120, 120));
    CHECK(least(Operator::kSoftmax, Dtype::kBf16) == Moved(120, 120));
    CHECK(least(Operator::kMse, Dtype::kFp32) == Moved(480, 4));
    CHECK(least(Operator::kCrossEntropy, Dtype::kBf16) == Moved(120 + 6 * 4, 2));
    CHECK(least(Operator::kRotary, Dtype::kBf16) == Moved(240, 120));
  }

  TEST_CASE("43.4 43.5 what the vector unit does for a piece, on 128 lanes") {
    const MachineSpec machine = milestone();
    // 3 rows of 300 elements: 8 turns of the lanes for the elements, one for the rows; a special function takes 4.
    struct Case {
      Operator op;
      VectorTask statistics;
      VectorTask apply;
    };
    const Bytes x = 900 * 2;
    const std::vector<Case> cases{
        {Operator::kLayerNorm, {2 * 8 + 2 * 8 + 2 + 4, 4 * 900 + 6 * 3, x, 3 * 8}, {16, 2 * 900, 3 * x + 24, x}},
        {Operator::kRmsNorm, {8 + 8 + 1 + 4, 2 * 900 + 5 * 3, x, 3 * 4}, {16, 2 * 900, 2 * x + 12, x}},
        {Operator::kSoftmax, {8 + 32 + 16 + 1 + 4, 7 * 900 + 5 * 3, x, 3 * 8}, {8 + 32, 5 * 900, x + 24, x}},
        {Operator::kCrossEntropy, {8 + 32 + 16 + 2 + 4 + 1, 7 * 900 + 7 * 3, x + 12, 36 + 4}, {}},
        {Operator::kGelu, {}, {4 * 8 + 32, 8 * 900, x, x}},
        {Operator::kSwish, {}, {2 * 8 + 32, 6 * 900, x, x}},
        {Operator::kRotary, {}, {2 * 8, 2 * 900, 2 * x, x}},
        {Operator::kMse, {2 * 8 + 8, 3 * 900, 2 * x, 4}, {}},
    };
    for (const Case& one : cases) {
      CAPTURE(std::string(kOperators[one.op]));
      const OperatorPlan plan = plan_of({one.op, 1, 3, 300}, machine);
      REQUIRE(plan.shares.at(0).pieces.size() == 1);
      const OperatorPiece piece = plan.shares[0].pieces[0];
      const auto check = [](const VectorTask& got, const VectorTask& want) {
        CHECK(got.cycles == want.cycles);
        CHECK(got.operations == want.operations);
        CHECK(got.fetched == want.fetched);
        CHECK(got.stored == want.stored);
      };
      CHECK(piece.statistics == (one.statistics.cycles > 0));
      CHECK(piece.apply == (one.apply.cycles > 0));
      if (piece.statistics) check(statistics_task(plan, piece, machine.pe.vector), one.statistics);
      if (piece.apply) check(apply_task(plan, piece, machine.pe.vector), one.apply);
    }
  }

  TEST_CASE("43.4 43.5 parts of a row are merged, and sums added to") {
    const MachineSpec machine = milestone();
    OperatorPlan plan = plan_of({Operator::kCrossEntropy, 1, 3, 300}, machine);
    plan.parts_of_rows = true;
    // The last 100 elements of the second row: what was known of it, then its loss to that of the first.
    const OperatorPiece last{500, 100, 1, true, false, false, true};
    const VectorTask task = statistics_task(plan, last, machine.pe.vector);
    CHECK(task.cycles == (1 + 4 + 2) + (5 + 2 * 4) + (2 + 4 + 1) + 1);
    CHECK(task.operations == 7 * 100 + (5 + 8) + (2 + 4 + 1) + 1);
    CHECK(task.fetched == 200 + 4 + 12 + 4);
    CHECK(task.stored == 12 + 4);
    // The first part of it: nothing to merge with, nothing to finish.
    const VectorTask first = statistics_task(plan, {300, 100, 1, true, false, true, false}, machine.pe.vector);
    CHECK(first.cycles == 1 + 4 + 2);
    CHECK(first.fetched == 200 + 4);
    CHECK(first.stored == 12);
    const VectorTask mean = mean_task(plan_of({Operator::kMse, 1, 300, 8}, machine, 8), machine.pe.vector);
    CHECK(mean.cycles == 2);
    CHECK(mean.fetched == 8 * 4);
    CHECK(mean.stored == 2);
  }

  TEST_CASE("43.3 the unit reads, computes and writes at the same time") {
    const PeSpec pe = milestone().pe;  // 1 GHz, 512 GB/s each way
    CHECK(VectorTask{.cycles = 5, .fetched = 2048, .stored = 2048}.time(pe) == from_ns(5));
    CHECK(VectorTask{.cycles = 3, .fetched = 2048, .stored = 100}.time(pe) == from_ns(4));
    CHECK(VectorTask{.cycles = 3, .fetched = 100, .stored = 2049}.time(pe) == Picoseconds{4002});
  }

  TEST_CASE("43.6 every row is one PE's, in their order, remainders go to the first") {
    CHECK(rc::check([] {
      const OperatorProblem problem = random_operator(4000);
      const auto pes = *rc::gen::inRange<std::int64_t>(1, 12);
      const OperatorPlan plan = plan_of(problem, milestone(), pes);
      std::int64_t next = 0;
      for (std::int64_t rank = 0; rank < pes; ++rank) {
        const OperatorShare& share = plan.shares.at(static_cast<std::size_t>(rank));
        RC_ASSERT(share.first_row == next);
        RC_ASSERT(share.rows == problem.rows() / pes + (rank < problem.rows() % pes ? 1 : 0));
        next += share.rows;
        std::vector<MatrixLayout> all{share.x, share.second};
        all.insert(all.end(), share.parameters.begin(), share.parameters.end());
        for (const MatrixLayout& matrix : {share.classes, share.y, share.partials, share.result}) all.push_back(matrix);
        Address end = 0;
        for (const MatrixLayout& matrix : all) {
          if (matrix.rows == 0) continue;
          RC_ASSERT(matrix.base == ceil_div(end, 2048) * 2048);  // 8 channels of bursts of 256
          end = matrix.base + matrix.footprint();
        }
        const bool mean = !plan.traits().writes_rows;
        RC_ASSERT(share.partials.rows == (mean && rank == 0 ? std::min(pes, problem.rows()) : 0));
        RC_ASSERT(share.y.columns == (mean ? 0 : share.rows * problem.dimension));
      }
      RC_ASSERT(next == problem.rows());
    }));
  }

  TEST_CASE("43.7 pieces are every element once, fit in TCM, and are cut as the clause says") {
    const auto follows = [](const OperatorProblem& problem, const MachineSpec& machine, std::int64_t pes) {
      const OperatorPlan plan = plan_of(problem, machine, pes);
      RC_ASSERT(plan.tcm <= machine.pe.tcm.capacity);
      for (const OperatorShare& share : plan.shares) {
        const std::int64_t elements = share.rows * problem.dimension;
        const std::vector<int> statistics = times_seen(share, elements, &OperatorPiece::statistics);
        const std::vector<int> apply = times_seen(share, elements, &OperatorPiece::apply);
        RC_ASSERT(std::ranges::count(statistics, plan.traits().by_rows() || !plan.traits().writes_rows ? 1 : 0) ==
                  elements);
        RC_ASSERT(std::ranges::count(apply, plan.traits().writes_rows ? 1 : 0) == elements);
        for (const OperatorPiece& piece : share.pieces) {
          RC_ASSERT(piece.elements <= plan.piece_elements);
          if (!plan.traits().by_rows()) continue;
          const std::int64_t column = piece.begin % problem.dimension;
          RC_ASSERT(piece.begins_row == (column == 0));
          RC_ASSERT(piece.ends_row == ((piece.begin + piece.elements) % problem.dimension == 0));
          RC_ASSERT(column + piece.elements / piece.rows <= problem.dimension);
        }
      }
      return plan.parts_of_rows;
    };
    CHECK(rc::check([&follows] {
      const OperatorProblem problem = random_operator(60'000);
      const MachineSpec machine = random_operator_machine();
      (void)follows(problem, machine, *rc::gen::inRange<std::int64_t>(1, 9));
    }));
    // Rows that do not fit, which few of those are.
    CHECK(rc::check([&follows] {
      MachineSpec machine = random_operator_machine();
      machine.pe.tcm.capacity = 24 << 10;
      const std::int64_t rows = *rc::gen::inRange<std::int64_t>(1, 4);
      const std::int64_t columns = *rc::gen::inRange<std::int64_t>(24 << 10, 60'000);
      const Operator op = *rc::gen::element(Operator::kSoftmax, Operator::kLayerNorm);
      RC_ASSERT(follows({op, 1, rows, columns}, machine, *rc::gen::inRange<std::int64_t>(1, 9)));
    }));
  }

  TEST_CASE("43.7 by hand: eighths of a share, at least half of what the DMA has in flight, or what fits") {
    const MachineSpec machine = milestone();  // 64 bursts of 256 bytes
    const auto elements = [](const OperatorProblem& problem, const MachineSpec& on, std::int64_t pes) {
      return plan_of(problem, on, pes).piece_elements;
    };
    CHECK(elements({Operator::kGelu, 1, 1024, 4096}, machine, 1) == 1024 * 4096 / 8);
    CHECK(elements({Operator::kGelu, 1, 64, 128}, machine, 1) == 8192 / 2);
    CHECK(elements({Operator::kGelu, 1, 64, 128, Dtype::kFp32}, machine, 1) == 8192 / 4);
    CHECK(elements({Operator::kLayerNorm, 1, 100, 1000}, machine, 1) == 13 * 1000);
    CHECK(elements({Operator::kLayerNorm, 1, 100, 1000}, machine, 10) == 5 * 1000);
    MachineSpec small = machine;
    small.pe.tcm.capacity = 64 << 10U;
    // 2 x 2 buffers and 8 KiB of statistics at most: 3 rows of 5 bursts ... of 1000 elements each take 8 bursts.
    CHECK(elements({Operator::kSoftmax, 8, 1024, 1000}, small, 1) == 8 * 1000);
    // A row of 20000 takes 157 bursts, four of them do not fit: parts of 128 elements x max(ceil(157 / 8), 32).
    CHECK(elements({Operator::kSoftmax, 1, 4, 20000}, small, 1) == 32 * 128);
    CHECK(elements({Operator::kSoftmax, 1, 4, 60000}, small, 1) == 59 * 128);
    small.pe.tcm.capacity = 8 << 10U;
    CHECK(elements({Operator::kSoftmax, 1, 4, 60000}, small, 1) == 7 * 128);  // 4 x 7 bursts, and the statistics
  }

  TEST_CASE("43.7 what cannot be done is told") {
    const MachineSpec machine = milestone();
    const auto refusal = [&machine](const OperatorProblem& problem, Bytes tcm) {
      return ::error_of([&] { static_cast<void>(plan_operator(problem, machine, 2, tcm)); });
    };
    CHECK(refusal({Operator::kMse, 1, 4, 8}, 1024).find("smallest pieces take 1280 bytes of TCM and a PE has 1024") !=
          std::string::npos);
    CHECK(refusal({Operator::kRotary, 1, 4, 7}, 1 << 20U).find("tensor_dimension 7: rotary") != std::string::npos);
    CHECK(refusal({Operator::kGelu, 1, 4, 7, Dtype::kInt8}, 1 << 20U).find("dtype int8") != std::string::npos);
    CHECK(refusal({Operator::kGelu, 1, 0, 7}, 1 << 20U).find("sequence_length") != std::string::npos);
    CHECK(refusal({Operator::kGelu, 1'000'000, 1'000'000, 2}, 1 << 20U).find("2^40") != std::string::npos);
    CHECK(refusal({Operator::kGelu, 1, 100'000, 10'000}, 1 << 20U).find("die.hbm.capacity") != std::string::npos);
    CHECK(::error_of([] { static_cast<void>(parse_operator("gleu", "--op")); }).find("gelu") != std::string::npos);
    CHECK(parse_operator("silu", "--op") == Operator::kSwish);
  }

  TEST_CASE("43.11 the roofline is never above the bound of a plan") {
    CHECK(rc::check([] {
      const OperatorProblem problem = random_operator(60'000);
      const MachineSpec machine = random_operator_machine();
      const auto pes = *rc::gen::inRange<std::int64_t>(1, 9);
      const OperatorBound bound = operator_bound(plan_of(problem, machine, pes), machine);
      RC_ASSERT(operator_roofline(problem, machine, pes).time <= bound.time);
    }));
  }
}
