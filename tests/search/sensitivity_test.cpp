// Sobol indices, against closed forms.
#include "benches/experiments/search/sensitivity.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "benches/workloads/selection.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/toy_bench.hpp"

using namespace kernbench;

namespace {

const Bench kBench = toy_bench();
const std::vector<LabelledPoint> kPoints = select_points(kBench, "");
const MachineSpec kMachine = milestone();

using Formula = std::function<double(double, double, double)>;

/// Of a formula of three axes with the whole numbers from 1 to 9, 9 and 200.
Sensitivity sensitivity_of(const Formula& formula, std::size_t budget, const std::vector<std::string>& where = {}) {
  std::vector<Condition> conditions;
  for (const std::string& text : where) conditions.emplace_back("--where", text);
  const Space space{kMachine, kBench,
                    kPoints,  {"pe.stream_depth=1..9", "pe.output_depth=1..9", "pe.dma.outstanding_bursts=1..200+1"},
                    {},       std::move(conditions)};
  return sensitivity(space, Expression("--sensitivity", "time_ns"), budget, 1,
                     [&formula](const std::vector<Choice>& choices) {
                       std::vector<Row> rows;
                       for (const Choice& choice : choices) {
                         rows.emplace_back();
                         rows.back().metrics.json()["time_ns"] =
                             formula(static_cast<double>(choice[0] + 1), static_cast<double>(choice[1] + 1),
                                     static_cast<double>(choice[2] + 1));
                       }
                       return rows;
                     });
}

}  // namespace

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.7 of a sum each axis has its own share, together and alone") {
    // Variances of a + 2 b: in the ratio 1 : 4.
    const Sensitivity answer = sensitivity_of([](double a, double b, double) { return 10 + a + 2 * b; }, 5 * 1024);
    CHECK(answer.samples == 1024);
    CHECK(answer.mean == doctest::Approx(25).epsilon(0.01));
    CHECK(answer.deviation == doctest::Approx(std::sqrt(5 * 80 / 12.0)).epsilon(0.01));
    REQUIRE(answer.axes.size() == 3);
    CHECK(answer.axes[0].first.value == doctest::Approx(0.2).epsilon(0.05));
    CHECK(answer.axes[1].first.value == doctest::Approx(0.8).epsilon(0.05));
    CHECK(answer.axes[0].total.value == doctest::Approx(0.2).epsilon(0.05));
    CHECK(answer.axes[1].total.value == doctest::Approx(0.8).epsilon(0.05));
    CHECK(answer.axes[2].first.value == 0);
    CHECK(answer.axes[2].total.value == 0);
    for (const AxisInfluence& axis : answer.axes) {
      CHECK(axis.first.least <= axis.first.value);
      CHECK(axis.first.value <= axis.first.most);
    }
    CHECK(answer.axes[1].first.most - answer.axes[1].first.least < 0.2);
  }

  TEST_CASE("38.7 of centred factors no axis has a share alone, and each all of it together") {
    const Sensitivity answer = sensitivity_of([](double a, double b, double) { return (a - 5) * (b - 5); }, 5 * 2048);
    REQUIRE(answer.axes.size() == 3);
    for (const std::size_t axis : {0U, 1U}) {
      CHECK(std::abs(answer.axes[axis].first.value) < 0.05);
      CHECK(answer.axes[axis].total.value == doctest::Approx(1).epsilon(0.05));
    }
    CHECK(answer.axes[2].total.value == 0);
  }

  TEST_CASE("38.7 with a budget for all of the grid the shares are exact") {
    const Sensitivity answer = sensitivity_of([](double a, double b, double) { return 10 + a + 2 * b; }, 16'200);
    REQUIRE(answer.is_exact);
    CHECK(answer.samples == 16'200);
    CHECK(answer.mean == doctest::Approx(25));
    CHECK(answer.deviation == doctest::Approx(std::sqrt(5 * 80 / 12.0)));
    CHECK(answer.axes[0].first.value == doctest::Approx(0.2));
    CHECK(answer.axes[1].total.value == doctest::Approx(0.8));
    CHECK(answer.axes[2].total.value == doctest::Approx(0));
    const Sensitivity product = sensitivity_of([](double a, double b, double) { return (a - 5) * (b - 5); }, 16'200);
    CHECK(product.axes[0].first.value == doctest::Approx(0));
    CHECK(product.axes[0].total.value == doctest::Approx(1));
  }

  TEST_CASE("38.7 more samples narrow the confidence") {
    const Formula formula = [](double a, double b, double c) { return std::max({40 / a, 30 / b, 20 / c}); };
    const Sensitivity few = sensitivity_of(formula, 5 * 32);
    const Sensitivity many = sensitivity_of(formula, 5 * 2048);
    const auto width = [](const Sensitivity& one) { return one.axes[0].total.most - one.axes[0].total.least; };
    CHECK(width(many) < width(few) / 2);
    CHECK(many.axes[0].total.value > many.axes[0].first.value);
  }

  TEST_CASE("38.7 what never varies has no shares; what does not run is left out and counted") {
    CHECK(sensitivity_of([](double, double, double) { return 7; }, 5 * 16).axes.empty());
    const Sensitivity some =
        sensitivity_of([](double a, double, double) { return a; }, 5 * 256, {"pe.stream_depth <= 8"});
    CHECK(some.left_out > 0);
    CHECK(some.samples + some.left_out == 256);
    CHECK(::error_of([] { static_cast<void>(sensitivity_of([](double, double, double) { return 1; }, 79)); }) ==
          "--sensitivity: expected a --budget of at least 80, 16 samples of 5 machines, got 79");
  }
}
