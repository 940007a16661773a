// Operators' values: right for rows that leave a remainder, and for rows longer than TCM; wrong plans are found.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <utility>

#include "sim/plan/operators/operator_reference.hpp"
#include "sim/plan/operators/operator_values.hpp"
#include "tests/support/random_operator.hpp"
#include "tests/system/operator_run.hpp"

namespace kernbench::operator_verify_test {
namespace {

MachineSpec small_tcm(Bytes capacity) {
  MachineSpec machine = one_die({"pe.message_queue.slots=1", "pe.message_queue.slot_bytes=256 B"});
  machine.pe.tcm.capacity = capacity;
  return machine;
}

std::string failure_with(const MachineSpec& machine, const OperatorPlan& plan) {
  return failure_of([&] { static_cast<void>(run_planned(machine, plan)); });
}

constexpr Bytes kSmall = 16 << 10U;

/// fp32, which hides least.
OperatorPlan cut_plan(Operator op, const MachineSpec& machine) {
  return plan_operator_on(machine, {op, 1, 2, 5000, Dtype::kFp32}, 1);
}

}  // namespace

TEST_SUITE("ADR-0043") {
  TEST_CASE("43.1 43.12 every operator and dtype is right: rows that leave a remainder, whole and cut") {
    for (const Operator op : kOperators.values()) {
      for (const Dtype dtype : {Dtype::kBf16, Dtype::kFp16, Dtype::kFp32}) {
        for (const Bytes tcm : {Bytes{1} << 20U, kSmall}) {
          CAPTURE(std::string(kOperators[op]));
          CAPTURE(std::string(name_of(dtype)));
          CAPTURE(tcm);
          const MachineSpec machine = small_tcm(tcm);
          const OperatorPlan plan = plan_operator_on(machine, {op, 3, 7, 4002, dtype}, 8);
          CHECK(plan.parts_of_rows == (plan.traits().by_rows() && tcm == kSmall));
          const OperatorRan run = run_planned(machine, plan);
          CHECK(run.compared == (plan.traits().writes_rows ? 21 * 4002 : 1));
        }
      }
    }
  }

  TEST_CASE("43.1 43.13 any operator on any machine is right, and takes as long as without values") {
    CHECK(rc::check([] {
      const OperatorProblem problem = random_operator(6000);
      const MachineSpec machine = random_operator_machine();
      const auto pes = *rc::gen::inRange<std::int64_t>(1, 9);
      const OperatorPlan plan = plan_operator_on(machine, problem, pes);
      const OperatorRan run = run_planned(machine, plan);
      RC_ASSERT(run.compared == (plan.traits().writes_rows ? problem.elements() : 1));
      RC_ASSERT(run.time == run_planned(machine, plan, false).time);
    }));
  }

  TEST_CASE("43.13 a plan that leaves out a piece, or moves one, is found, whatever the operator") {
    const MachineSpec machine = small_tcm(kSmall);
    for (const Operator op : kOperators.values()) {
      CAPTURE(std::string(kOperators[op]));
      const OperatorPlan right = cut_plan(op, machine);
      REQUIRE(failure_with(machine, right).empty());
      for (const std::size_t piece : {std::size_t{0}, right.shares[0].pieces.size() - 1}) {
        CAPTURE(piece);
        OperatorPlan without = right;
        without.shares[0].pieces.erase(without.shares[0].pieces.begin() + static_cast<std::ptrdiff_t>(piece));
        const std::string missing = failure_with(machine, without);
        CHECK_MESSAGE(missing.find("verification failed") != std::string::npos, missing);
      }
      OperatorPlan moved = right;
      OperatorPiece& second = moved.shares[0].pieces[1];
      second.begin -= 2;  // the last two elements are the first piece's
      const std::string wrong = failure_with(machine, moved);
      CHECK_MESSAGE(wrong.find("verification failed") != std::string::npos, wrong);
    }
  }

  TEST_CASE("43.13 statistics that are not merged, or not finished, are found") {
    const MachineSpec machine = small_tcm(kSmall);
    for (const Operator op : {Operator::kLayerNorm, Operator::kRmsNorm, Operator::kSoftmax, Operator::kCrossEntropy}) {
      CAPTURE(std::string(kOperators[op]));
      OperatorPlan forgets = cut_plan(op, machine);
      REQUIRE(forgets.parts_of_rows);
      forgets.shares[0].pieces[1].begins_row = true;
      const std::string forgotten = failure_with(machine, forgets);
      CHECK_MESSAGE(forgotten.find("verification failed") != std::string::npos, forgotten);
      OperatorPlan ends = cut_plan(op, machine);
      ends.shares[0].pieces[0].ends_row = true;
      const std::string ended = failure_with(machine, ends);
      CHECK_MESSAGE(ended.find("verification failed") != std::string::npos, ended);
    }
  }

  TEST_CASE("43.13 the error names the first wrong element") {
    const MachineSpec machine = small_tcm(kSmall);
    OperatorPlan plan = cut_plan(Operator::kGelu, machine);
    plan.shares[0].pieces.erase(plan.shares[0].pieces.begin());
    const std::string text = failure_with(machine, plan);
    CHECK_MESSAGE(text.find("first: y[0][0] is no number, expected ") != std::string::npos, text);
  }

  TEST_CASE("43.13 the distance is that of the roundings: a unit in the last place more is refused") {
    for (const Dtype dtype : {Dtype::kBf16, Dtype::kFp16, Dtype::kFp32}) {
      CAPTURE(std::string(name_of(dtype)));
      OperatorReference reference({Operator::kSwish, 1, 1, 64, dtype}, 1);
      const double ulp = dtype == Dtype::kBf16 ? 0x1p-7 : dtype == Dtype::kFp16 ? 0x1p-10 : 0x1p-23;
      int looked_at = 0;
      for (std::int64_t column = 0; column < 64; ++column) {
        const Expected expected = reference.element(0, column);
        if (expected.value < 1) continue;  // of others x is not of the result's size
        ++looked_at;
        CHECK(expected.distance >= ulp / 2 * expected.value);
        if (dtype != Dtype::kFp32) CHECK(expected.distance < 0.6 * ulp * expected.value);
        CHECK(expected.distance < 1e-2 * expected.value);
        if (dtype == Dtype::kFp32) CHECK(expected.distance < 1e-5 * expected.value);
      }
      CHECK(looked_at > 5);
    }
  }

  TEST_CASE("43.12 lanes add up what they hold, then pairs of lanes") {
    LaneSum sum(3);
    CHECK(sum.value() == 0.0F);
    // Lane 0: 2^24 + 1 + 1 stays 2^24; lane 1: 1 + 1; lane 2: 1. Lanes 0 and 2 first: 2^24 + 1 is 2^24; then + 2.
    for (const float value : {0x1p24F, 1.0F, 1.0F, 1.0F, 1.0F, 0.0F, 1.0F}) sum.add(value);
    CHECK(sum.value() == 0x1p24F + 2);
  }

  TEST_CASE("43.4 merged statistics are those of the whole row") {
    std::vector<float> row(1000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 100.0F + input_of_x(0, static_cast<std::int64_t>(i));
    const std::span<const float> all(row);
    for (const Operator op : {Operator::kLayerNorm, Operator::kRmsNorm, Operator::kSoftmax, Operator::kCrossEntropy}) {
      CAPTURE(std::string(kOperators[op]));
      const RowStatistics whole = finished(op, row_statistics(op, all, 0, 700, 16), 1000);
      const RowStatistics first = row_statistics(op, all.first(300), 0, 700, 16);
      const RowStatistics second = row_statistics(op, all.subspan(300), 300, 700, 16);
      const RowStatistics parts = finished(op, merged(op, first, 300, second, 700), 1000);
      for (std::size_t i = 0; i < whole.size(); ++i) CHECK(parts.at(i) == doctest::Approx(whole.at(i)).epsilon(1e-5));
    }
  }
}

}  // namespace kernbench::operator_verify_test
