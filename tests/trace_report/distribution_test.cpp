// Quartiles, whiskers and densities.
#include "benches/traces/report/distribution.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

using kernbench::traces::box_summary;
using kernbench::traces::BoxSummary;
using kernbench::traces::density_of;
using kernbench::traces::DensityPoint;

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.41 quartiles lie on lines between times, whiskers end at times, the rest are points") {
    const BoxSummary box = box_summary({100, 2, 4, 1, 3, -7});
    CHECK(box.q1 == 1.25);
    CHECK(box.median == 2.5);
    CHECK(box.q3 == 3.75);
    CHECK(box.low == 1);  // 1.25 - 1.5 · 2.5 = -2.5
    CHECK(box.high == 4);
    CHECK(box.outliers == std::vector<double>{-7, 100});
    const BoxSummary alone = box_summary({5});
    CHECK(alone.low == 5);
    CHECK(alone.q1 == 5);
    CHECK(alone.high == 5);
    CHECK(alone.outliers.empty());
  }

  TEST_CASE("40.41 a time at the whisker's reach is within it; of many points the farthest stay") {
    CHECK(box_summary({0, 0, 2, 2, 5}).high == 5);  // 2 + 1.5 · 2
    CHECK(box_summary({0, 0, 2, 2, 5.001}).high == 2);
    std::vector<double> values(1000, 10);
    for (int i = 1; i <= 150; ++i) values.push_back(10 + i);
    const BoxSummary box = box_summary(values);
    REQUIRE(box.outliers.size() == 100);
    CHECK(box.outliers.front() == 61);
    CHECK(box.outliers.back() == 160);
  }

  TEST_CASE("40.41 whatever the times: low <= q1 <= median <= q3 <= high of the times, and none is lost") {
    CHECK(rc::check([](const std::vector<std::int16_t>& times) {
      RC_PRE(!times.empty() && times.size() < 100);
      const std::vector<double> values(times.begin(), times.end());
      const BoxSummary box = box_summary(values);
      RC_ASSERT(box.low <= box.median && box.median <= box.high);
      RC_ASSERT(box.q1 <= box.median && box.median <= box.q3);
      const auto inside = std::ranges::count_if(values, [&](double at) { return at >= box.low && at <= box.high; });
      RC_ASSERT(static_cast<std::size_t>(inside) + box.outliers.size() == values.size());
    }));
  }

  TEST_CASE("40.42 the density is Silverman's, between the shortest and the longest") {
    const std::vector<DensityPoint> points = density_of({4, 1, 0, 3, 2});
    REQUIRE(points.size() == 48);
    CHECK(points.front().value == 0);
    CHECK(points.back().value == 4);
    CHECK(points.front().density == doctest::Approx(0.140976488942263).epsilon(1e-12));
    CHECK(points[24].value == doctest::Approx(4.0 * 24 / 47));
    CHECK(points[24].density == doctest::Approx(0.198530576729264).epsilon(1e-12));
    CHECK(density_of({5, 5, 9, 5, 5, 5}).front().density == doctest::Approx(0.323725092030744).epsilon(1e-12));
  }

  TEST_CASE("40.42 few times or equal ones have no density") {
    CHECK(density_of({1, 2, 3, 4}).empty());
    CHECK(density_of(std::vector<double>(9, 7)).empty());
  }
}
