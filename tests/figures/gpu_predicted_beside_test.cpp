// gpu-predicted-beside: predicted and measured slowdowns of products beside a collective.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benches/gpu_predicted_beside/beside_errors.hpp"
#include "benches/gpu_predicted_beside/beside_figures.hpp"
#include "benches/gpu_predicted_beside/beside_points.hpp"
#include "benches/gpu_predicted_beside/beside_row.hpp"
#include "benches/results/figures/rows.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

namespace {

const LoadedGpu& four_h200s() {
  static const LoadedGpu kGpu = load_gpu(sample::kSource + "/topology/h200_x4.yaml");
  return kGpu;
}

const Results& beside_products() {
  static const Results kResults = [] {
    Bench bench;
    bench.axes = beside_axes();
    bench.includes = was_measured_beside;
    Results results;
    results.bench = "gpu-predicted-beside";
    results.source = {"sim", "h200_x4", "", "4", "1"};
    for (const LabelledPoint& point : expand_points(bench)) {
      results.rows.push_back(beside_row(four_h200s(), point.point));
    }
    return results;
  }();
  return kResults;
}

double metric_of(const Row& row, const char* name) { return row.metrics.json().at(name).get<double>(); }

double mean_error_of(const std::vector<Row>& errors, const std::string& of) {
  const auto row = std::ranges::find_if(errors, [&of](const Row& one) { return one.point.at("of") == of; });
  REQUIRE_MESSAGE(row != errors.end(), of);
  return metric_of(*row, "mean");
}

}  // namespace

TEST_SUITE("ADR-0058") {
  TEST_CASE("58.2 every measured product beside a collective is a point, with the kernel that the rule chooses") {
    CHECK(beside_products().rows.size() == 140);
    for (const Row& row : beside_products().rows) {
      REQUIRE(row.status == "ok");
      const GpuGemm gemm{row.point.at("m"), row.point.at("k"), row.point.at("n"), Dtype::kBf16};
      CHECK(row.metrics.json().at("kernel") == to_text(choose_gpu_kernel(gemm, four_h200s().spec)));
    }
    LoadedGpu nobody = four_h200s();
    nobody.device = "";
    CHECK(beside_row(nobody, beside_products().rows.front().point).status == "skipped");
  }

  TEST_CASE("58.3 the error is that of how many times as long as alone the product takes") {
    for (const Row& row : beside_products().rows) {
      const Row* measured = measured_beside("nvidia-h200", row.point);
      REQUIRE(measured != nullptr);
      const double slowdown = metric_of(*measured, "time_ns") / metric_of(*measured, "alone_ns");
      const double predicted = metric_of(row, "time_ns") / metric_of(row, "alone_ns");
      CHECK(metric_of(row, "error") == doctest::Approx(predicted / slowdown - 1));
      CHECK(product_alone_row(four_h200s(), row.point).metrics.json().at("time_ns") ==
            row.metrics.json().at("alone_ns"));
    }
  }

  TEST_CASE("58.4 within what the pages say, and no cliff is missed or invented but that of 256x4096x14336") {
    const std::vector<Row> errors = beside_error_rows(beside_products());
    CHECK(mean_error_of(errors, "all") == doctest::Approx(0.0855).epsilon(0.005));
    CHECK(mean_error_of(errors, "2 GPUs") == doctest::Approx(0.086).epsilon(0.005));
    CHECK(mean_error_of(errors, "4 GPUs") == doctest::Approx(0.085).epsilon(0.005));
    CHECK(mean_error_of(errors, "1024×4096×4096") < 0.051);
    CHECK(mean_error_of(errors, "16×8192×8192") < 0.064);
    for (const Row& row : beside_products().rows) {
      if (row.point.at("m") == 256) continue;  // whose kernel the rule misses
      constexpr double kCliff = 1.5;
      CHECK((metric_of(row, "slowdown") > kCliff) == (metric_of(row, "measured_slowdown") > kCliff));
    }
  }

  TEST_CASE("58.3 a line and its points of every product, and what is said of them") {
    Results results = beside_products();
    for (const Row& row : beside_error_rows(results)) results.rows.push_back(row);
    const std::vector<Figure> figures = beside_figures(results, {});
    REQUIRE(figures.size() == 2);
    CHECK(figures[0].name == "cliff");
    CHECK(sample::records(figures[0]).size() == 280);
    CHECK(beside_headline(results, {}).find("up to twice as long") != std::string::npos);
    CHECK(beside_figures({}, {}).empty());
  }
}
