// gpu-predicted-training: predicted and measured steps of data-parallel training.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benches/gpu_predicted_training/measured_steps.hpp"
#include "benches/gpu_predicted_training/training_errors.hpp"
#include "benches/gpu_predicted_training/training_figures.hpp"
#include "benches/gpu_predicted_training/training_prediction.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/fitted_products.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/read_file.hpp"
#include "tests/figures/sample_results.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

const LoadedGpu& four_h200s() {
  static const LoadedGpu kGpu = load_gpu(sample::kSource + "/topology/h200_x4.yaml");
  return kGpu;
}

std::vector<Json> points_of_bench() {
  Bench bench;
  bench.axes = training_axes();
  bench.includes = is_training_point;
  std::vector<Json> points;
  for (const LabelledPoint& point : expand_points(bench)) points.push_back(point.point);
  return points;
}

const Results& predicted_steps() {
  static const Results kResults = [] {
    Results results;
    results.bench = "gpu-predicted-training";
    results.source = {"sim", "h200_x4", "", "4", "1"};
    for (const Json& point : points_of_bench()) results.rows.push_back(training_prediction(four_h200s(), point));
    return results;
  }();
  return kResults;
}

double metric_of(const Row& row, const std::string& name) { return row.metrics.json().at(name).get<double>(); }

const Row& error_of(const std::vector<Row>& errors, const std::string& of) {
  const auto row = std::ranges::find_if(errors, [&of](const Row& one) { return one.point.at("of") == of; });
  REQUIRE_MESSAGE(row != errors.end(), of);
  return *row;
}

Results committed() {
  const std::string file = sample::kSource + "/benches/gpu_predicted_training/results/results.json";
  return parse_results(read_file(file), file);
}

}  // namespace

TEST_SUITE("ADR-0059") {
  TEST_CASE("59.7 every measured configuration is a point, and its axes take other values") {
    const std::vector<Json> points = points_of_bench();
    REQUIRE(points.size() == 8);
    for (const Json& point : points) {
      const MeasuredStep* step = measured_step("nvidia-h200", point);
      REQUIRE(step != nullptr);
      CHECK(step->point == point);
      CHECK(point.at("layers") == 6);
      CHECK(point.at("hidden") == 8192);
      CHECK(point.at("batch") == 2048);
      CHECK(point.at("gpus") == 4);
    }
    Json other = points.front();
    other["hidden"] = 4096;
    CHECK(is_training_point(other));
    CHECK(measured_step("nvidia-h200", other) == nullptr);
    CHECK(measured_step("nvidia-h100-80gb-hbm3", points.front()) == nullptr);
    for (const Axis& axis : training_axes()) {
      REQUIRE(axis.open);
      CHECK(axis.open->read("12").fields == Json(12));
    }
  }

  TEST_CASE("59.7 a step is held against the median of measured ones, and counts unless the machine was fitted to it") {
    for (const Row& row : predicted_steps().rows) {
      REQUIRE(row.status == "ok");
      const MeasuredStep* step = measured_step("nvidia-h200", row.point);
      const double measured = metric_of(step->row, "time_ns");
      CHECK(metric_of(row, "measured_ns") == measured);
      CHECK(metric_of(row, "error") == doctest::Approx(metric_of(row, "time_ns") / measured - 1));
      CHECK(std::ranges::find(row.flags, "fitted") == row.flags.end());
      CHECK(metric_of(row, "time_ns") > metric_of(row, "traced_ns"));  // at a lower clock
      CHECK(metric_of(row, "untouched_ns") < metric_of(row, "time_ns"));
    }
    CHECK(fitted_products(four_h200s()).size() > 200);
    LoadedGpu knows = four_h200s();
    const TemporaryFolder folder;
    knows.fitted_to = (folder.path() / "fitted.csv").string();
    write_file(knows.fitted_to, "m,k,n,dtype\n8192,2048,8192,bf16\n");
    const Row fitted = training_prediction(knows, predicted_steps().rows.front().point);
    CHECK(fitted.flags == std::vector<std::string>{"fitted"});
    LoadedGpu nobody = four_h200s();
    nobody.device = "";
    const Row alone = training_prediction(nobody, predicted_steps().rows.front().point);
    CHECK(alone.status == "ok");
    CHECK(!alone.metrics.json().contains("measured_ns"));
  }

  TEST_CASE("59.7 errors of the steps and of all that the analyses say; fitted rows are counted as left out") {
    Results results = predicted_steps();
    const std::vector<Row> errors = training_error_rows(results);
    CHECK(error_of(errors, "step").metrics.json().at("rows") == 8);
    CHECK(error_of(errors, "step, 256 threads").metrics.json().at("rows") == 4);
    CHECK(metric_of(error_of(errors, "step"), "mean") < 0.045);
    CHECK(metric_of(error_of(errors, "step"), "untouched_mean") > 0.1);
    for (const TracedMetric& metric : traced_metrics()) {
      double sum = 0;
      for (const Row& row : results.rows) {
        sum += std::abs(row.metrics.at(metric.metric) / row.metrics.at(prefixed(kOfMeasured, metric.metric)) - 1) / 8;
      }
      CHECK(metric_of(error_of(errors, metric.words), "mean") == doctest::Approx(sum));
    }
    CHECK(errors.back().metrics.json().at("rows") == 0);
    results.rows.front().flags.emplace_back("fitted");
    CHECK(error_of(training_error_rows(results), "GEMMs").metrics.json().at("rows") == 7);
    CHECK(training_error_rows(results).back().metrics.json().at("rows") == 1);
  }

  TEST_CASE("59.10 what is said of measured traces is what the analysis says of them") {
    // 28 channels of 256 threads, by another program that reads the same files.
    const Row& row = predicted_steps().rows.front();
    REQUIRE(row.point.at("channels") == 28);
    REQUIRE(row.point.at("threads") == 256);
    CHECK(metric_of(row, "measured_gemm_ns") == doctest::Approx(6'656'000).epsilon(0.0001));
    CHECK(metric_of(row, "measured_comm_ns") == doctest::Approx(5'290'000).epsilon(0.0001));
    CHECK(metric_of(row, "measured_comm_latency_ns") == doctest::Approx(4'938'000).epsilon(0.0002));
  }

  TEST_CASE("59.7 the page's table is that of the committed results") {
    const std::string page = read_file(sample::kSource + "/docs/gpu-training.md");
    const Results results = committed();
    int rows = 0;
    for (const Row& row : results.rows) {
      if (!row.point.contains("derived") || row.point.at("derived") != "error") continue;
      const auto of = [&row](const char* name) { return percent(metric_of(row, name)); };
      const std::string line = "| " + row.point.at("of").get<std::string>() + " | " + of("mean") + " | " +
                               of("median") + " | " + of("p90") + " | " + of("bias") + " |";
      CHECK_MESSAGE(page.find("\n" + line) != std::string::npos, line);
      ++rows;
    }
    CHECK(rows == 12);
  }

  TEST_CASE("59.7 figures and a sentence of what was measured, none without") {
    Results results = predicted_steps();
    for (const Row& row : training_error_rows(results)) results.rows.push_back(row);
    const std::vector<Figure> figures = training_figures(results, {});
    REQUIRE(figures.size() == 3);
    CHECK(sample::records(figures[0]).size() == 24);
    CHECK(sample::records(figures[1]).size() == 8 * 2 * 3);
    CHECK(sample::records(figures[2]).size() == 8 * 2 * 4);
    CHECK(training_headline(results, {}).find("within 3.9 % in the mean over 8 measured") != std::string::npos);
    CHECK(training_figures({}, {}).empty());
    CHECK(training_headline({}, {}).empty());
  }
}
