// universal-gemm: what its figures say of committed results, reckoned again.
#include "benches/universal_gemm/method_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "benches/results/rows/store.hpp"
#include "benches/results/statistics/rank_correlation.hpp"
#include "benches/universal_gemm/figures.hpp"
#include "benches/universal_gemm/figures/groups.hpp"
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
        least = std::min(least, row.metrics.json().at("time_ns").get<double>());
        if (row.point == point) kept = row.metrics.json().at("time_ns");
      }
      CHECK(drawn[i].at("loss").get<double>() == doctest::Approx(kept / least - 1));
      CHECK(choices[i].loss() >= 0);
    }
  }
}

TEST_SUITE("ADR-0044") {
  TEST_CASE(
      "44.14 every figure follows the page's buttons: each record has what they are for, each field is asked for") {
    const Results sim = read_results(sample::kSource + "/benches/universal_gemm/results/results.json");
    const std::string file = sample::kSource + "/benches/reference/nvidia-h200/distributed_gemm.json";
    const std::vector<Results> measured{read_results(file)};
    std::vector<Figure> figures = universal_gemm_figures(sim, {});
    for (Figure& figure : universal_gemm_beside(sim, measured)) figures.push_back(std::move(figure));
    CHECK(figures.size() >= 8);
    const std::vector<Axis> toggles = group_toggles(find_bench("universal-gemm"), measured);
    for (const Figure& figure : figures) {
      CAPTURE(figure.name);
      CHECK(figure.spec.at("params").at(0).at("name") == "toggled");
      const std::string filter = figure.spec.at("transform").at(0).at("filter");
      for (const Axis& axis : toggles) {
        CHECK(filter.find("toggled['" + axis.name + "']") != std::string::npos);
        for (const Json& record : figure.spec.at("data").at("values")) {
          const auto is_it = [&](const AxisValue& value) {
            const Json& field = value.fields;
            return (field.is_object() ? field.at(axis.name) : field) == record.at(axis.name);
          };
          CHECK(std::ranges::any_of(axis.values, is_it));
        }
      }
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
