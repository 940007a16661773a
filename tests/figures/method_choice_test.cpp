// universal-gemm: what its figures say of committed results, reckoned again.
#include "benches/universal_gemm/method_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "benches/harness/analysis/rank_correlation.hpp"
#include "benches/harness/results/store.hpp"
#include "benches/universal_gemm/figures.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.4 the figure of auto's choice has each case's loss against the fastest method that was run") {
    const Results sim = read_results(sample::kSource + "/benches/universal_gemm/results/results.json");
    const std::vector<MethodChoice> choices = method_choices(sim);
    CHECK(choices.size() == 48);
    const std::vector<Figure> figures = universal_gemm_figures(sim, {});
    REQUIRE(figures.size() == 2);
    const Json& drawn = figures[1].spec.at("data").at("values");
    REQUIRE(drawn.size() == choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      double least = INFINITY;
      double kept = 0;
      for (const Row& row : sim.rows) {
        Json point = row.point;
        point["method"] = choices[i].chosen->point.at("method");
        if (point != choices[i].chosen->point) continue;
        least = std::min(least, row.metrics.at("time_ns").get<double>());
        if (row.point == point) kept = row.metrics.at("time_ns");
      }
      CHECK(drawn[i].at("loss").get<double>() == doctest::Approx(kept / least - 1));
      CHECK(choices[i].loss() >= 0);
    }
  }
}

TEST_CASE("Spearman's rank correlation: order alone counts, equal values share their rank") {
  CHECK(rank_correlation({1, 2, 3}, {10, 100, 1000}) == doctest::Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
  // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
  CHECK(rank_correlation({1, 2, 2, 5}, {1, 2, 3, 4}) == doctest::Approx(4.5 / std::sqrt(4.5 * 5)));
  CHECK(std::isnan(rank_correlation({1, 1}, {1, 2})));
  CHECK(std::isnan(rank_correlation({1}, {1})));
}
