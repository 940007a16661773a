// gpu-predicted: what is held against what, and how errors are counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "benches/gpu_predicted/errors.hpp"
#include "benches/gpu_predicted/figures.hpp"
#include "benches/gpu_predicted/learned.hpp"
#include "benches/gpu_predicted/measured_cases.hpp"
#include "benches/gpu_predicted/milestone_claim.hpp"
#include "benches/gpu_predicted/predicted_row.hpp"
#include "benches/measured/cases/error_summary.hpp"
#include "benches/measured/cases/fitted_products.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

namespace {

LoadedGpu gpu_file(const std::string& name) { return load_gpu(sample::kSource + "/topology/" + name + ".yaml"); }

Bench product_bench() {
  Bench bench;
  bench.axes = measured_axes();
  bench.includes = was_measured;
  return bench;
}

Results predicted_products(const LoadedGpu& gpu) {
  Results results;
  results.bench = "gpu-predicted";
  results.source = {"sim", gpu.spec.name, "", "4", "1"};
  for (const LabelledPoint& point : expand_points(product_bench())) {
    results.rows.push_back(predicted_row(gpu, point.point));
  }
  return results;
}

const Results& h200_products() {
  static const Results kResults = predicted_products(gpu_file("h200"));
  return kResults;
}

GpuGemm product_of(const Row& row) {
  return {row.point.at("m"), row.point.at("k"), row.point.at("n"),
          parse_dtype(row.point.at("dtype").get<std::string>(), "dtype")};
}

bool is_flagged(const Row& row, const char* flag) { return std::ranges::find(row.flags, flag) != row.flags.end(); }

/// Invented: predicted at `time` where 100 ns were measured.
Row invented(const std::string& dtype, const std::string& l2, double time) {
  Row row;
  row.point = {{"m", 64}, {"k", 64}, {"n", 64}, {"dtype", dtype}, {"l2", l2}};
  row.metrics.json() = {{"time_ns", time},     {"measured_ns", 100.0},    {"error", time / 100 - 1}, {"state", "burst"},
                        {"roofline_ns", 50.0}, {"device", "nvidia-h200"}, {"kernel", "128x128"}};
  return row;
}

const Json& errors_of(const std::vector<Row>& rows, const std::string& of) {
  const auto row =
      std::ranges::find_if(rows, [&of](const Row& candidate) { return candidate.point.value("of", "") == of; });
  REQUIRE_MESSAGE(row != rows.end(), of);
  return row->metrics.json();
}

/// "| bf16 | 276 | 4.7 % | 3.8 % | 8.6 % | 0.1 % | 8.2 % |", as the pages have it.
std::string line_of(const Json& errors, const std::string& name, const std::vector<std::string>& others) {
  std::string line = "| " + name + " | " + errors.at("rows").dump() + " |";
  std::vector<std::string> metrics{"mean", "median", "p90", "bias"};
  metrics.insert(metrics.end(), others.begin(), others.end());
  for (const std::string& metric : metrics) line += formatted(" %.1f %% |", 100 * errors.at(metric).get<double>());
  return line;
}

}  // namespace

TEST_SUITE("ADR-0052") {
  TEST_CASE("52.1 every product measured by cuBLASLt is a point; a device without it skips it") {
    const Results& h200 = h200_products();
    CHECK(h200.rows.size() > 1400);
    for (const Row& row : h200.rows) {
      CHECK(was_measured(row.point));
      CHECK((row.status == "ok") == (measured_on("nvidia-h200", row.point) != nullptr));
    }
    const Row& first = h200.rows.front();
    CHECK(first.metrics.json().at("measured_ns") ==
          measured_on("nvidia-h200", first.point)->metrics.json().at("time_ns"));
    CHECK_FALSE(was_measured({{"m", 7}, {"k", 7}, {"n", 7}, {"dtype", "bf16"}, {"l2", "warm"}}));
    LoadedGpu nobody = gpu_file("h200");
    nobody.device = "";
    const Row skipped = predicted_row(nobody, first.point);
    CHECK(skipped.status == "skipped");
    CHECK(skipped.reason == "not measured on any device");
  }

  TEST_CASE("52.2, 52.3 the library's choice by rule, in a burst below 200 us and in the steady state from there on") {
    const GpuSpec gpu = gpu_file("h200").spec;
    std::size_t steady = 0;
    double longest_burst = 0;
    for (const Row& row : h200_products().rows) {
      const GpuGemm gemm = product_of(row);
      const L2State l2 = kL2States.parse(row.point.at("l2").get<std::string>());
      const GpuKernel kernel = choose_gpu_kernel(gemm, gpu);
      CHECK(row.metrics.json().at("kernel") == to_text(kernel));
      const GpuGemmTime burst = gpu_gemm_time(gemm, kernel, gpu, {.l2 = l2});
      if (burst.total < 200e3) {
        longest_burst = std::max(longest_burst, burst.total);
        CHECK(row.metrics.json().at("state") == "burst");
        CHECK(row.metrics.json().at("time_ns") == burst.time().ns());
        continue;
      }
      ++steady;
      const double clock = steady_clock(gemm, kernel, gpu, l2);
      CHECK(row.metrics.json().at("state") == "steady");
      CHECK(row.metrics.json().at("time_ns") ==
            gpu_gemm_time(gemm, kernel, gpu, {.l2 = l2, .clock = clock}).time().ns());
    }
    CHECK(steady > 100);
    CHECK(longest_burst > 190e3);
  }

  TEST_CASE("52.4 products that the machine was fitted to are marked and count nowhere") {
    const Results& h200 = h200_products();
    const auto fitted = std::ranges::count_if(h200.rows, [](const Row& row) { return is_flagged(row, "fitted"); });
    CHECK(fitted > 0);
    CHECK(errors_of(product_error_rows(h200), "products that the machine was fitted to").at("rows") == fitted);
    LoadedGpu blind = gpu_file("h200");
    blind.fitted_to = "";
    for (const Row& row : h200.rows) {
      if (is_flagged(row, "fitted")) CHECK_FALSE(is_flagged(predicted_row(blind, row.point), "fitted"));
    }
    Results two;
    two.rows = {invented("bf16", "warm", 110), invented("bf16", "warm", 300)};
    two.rows[1].flags = {"fitted"};
    CHECK(errors_of(product_error_rows(two), "bf16").at("rows") == 1);
  }

  TEST_CASE("52.5 mean, median and 90 % quantile of the errors, the geometric bias, the worst by name") {
    Results five;
    for (const double time : {100.0, 110.0, 80.0, 130.0}) five.rows.push_back(invented("bf16", "warm", time));
    five.rows.push_back(invented("bf16", "flushed", 150));
    five.rows.push_back(invented("bf16", "warm", 900));
    five.rows.back().flags = {"ragged"};
    const std::vector<Row> rows = product_error_rows(five);
    const Json& all = errors_of(rows, "bf16");
    CHECK(all.at("rows") == 5);
    CHECK(all.at("mean").get<double>() == doctest::Approx(0.22));
    CHECK(all.at("median").get<double>() == doctest::Approx(0.2));
    CHECK(all.at("p90").get<double>() == doctest::Approx(0.42));
    CHECK(all.at("bias").get<double>() == doctest::Approx(std::pow(1.1 * 0.8 * 1.3 * 1.5, 0.2) - 1));
    CHECK(all.at("worst").get<std::string>().starts_with("64x64x64 bf16 flushed +50.0 %; 64x64x64 bf16 warm +30.0 %"));
    CHECK(errors_of(rows, "bf16, warm").at("rows") == 4);
    CHECK(errors_of(rows, "bf16, flushed").at("mean").get<double>() == doctest::Approx(0.5));
    CHECK(errors_of(rows, "bf16, ragged").at("mean").get<double>() == doctest::Approx(8));
    CHECK(errors_of(rows, "up to 5 us").at("rows") == 5);
    CHECK(std::ranges::none_of(rows, [](const Row& row) { return row.point.at("of") == "bf16, steady"; }));
  }

  TEST_CASE("52.6 beside them the roofline of the data sheet, and trees that saw none of the shape's rows") {
    Results one;
    one.rows = {invented("bf16", "warm", 110)};
    CHECK(errors_of(product_error_rows(one), "bf16").at("roofline_mean").get<double>() == doctest::Approx(0.5));
    const Json point{{"m", 8192}, {"k", 8192}, {"n", 8192}, {"dtype", "bf16"}, {"l2", "warm"}};
    const Row square = predicted_row(gpu_file("h200"), point);
    CHECK(square.metrics.json().at("roofline_ns").get<double>() ==
          doctest::Approx(2 * std::pow(8192, 3) / 989.5e3).epsilon(1e-3));
    // Both operands are streamed: 8 KiB a tile at 256 GB/s take 32 ns, of which the array is busy for 16.
    CHECK(milestone_efficiency({8192, 8192, 8192}).value() == doctest::Approx(0.5).epsilon(0.01));
    CHECK(square.metrics.json().at("milestone_ns").get<double>() ==
          doctest::Approx(2 * std::pow(8192, 3) / 989.5e3 / milestone_efficiency({8192, 8192, 8192}).value())
              .epsilon(1e-3));
    CHECK(milestone_efficiency({1, 8192, 8192}).value() < 0.05);
    const OtherPrediction trees = predicted_by_trees("nvidia-h200");
    std::vector<double> ratios;
    for (const Row& row : h200_products().rows) {
      if (const std::optional<double> time = trees.time_ns(row)) {
        ratios.push_back(*time / row.metrics.json().at("measured_ns").get<double>());
      }
    }
    CHECK(ratios.size() > 1300);
    CHECK(summary_of(ratios).median > 0.03);  // below it a shape's own rows would have been learned
    CHECK_FALSE(trees.time_ns(one.rows.front()).has_value());
  }

  TEST_CASE(
      "52.4 all products that numbers of an H100 were fitted to are listed, and one of its own rows is among them") {
    const LoadedGpu h100 = gpu_file("h100");
    const std::set<std::string>& listed = fitted_products(h100);
    std::size_t fitted = 0;
    for (const auto& file : std::filesystem::directory_iterator(sample::kSource + "/benches/calibration/nvidia-h100")) {
      const Json document = Json::parse(read_file(file.path()));
      for (const Json& row : document.at("rows")) {
        CHECK(listed.contains(product_key(row)));
        ++fitted;
      }
    }
    CHECK(fitted == 1018);
    CHECK(listed.contains("1024 1024 512 tf32"));
    const Results predicted = predicted_products(h100);
    for (const Row& row : predicted.rows) CHECK(is_flagged(row, "fitted") == listed.contains(product_key(row.point)));
  }

  TEST_CASE("52.5 the pages' tables are what the committed results say, and of an H100 what is predicted") {
    const auto committed = [](const std::string& bench) {
      return read_results(sample::kSource + "/benches/" + bench + "/results/results.json").rows;
    };
    const std::string products = read_file(sample::kSource + "/docs/gpu-predicted.md");
    for (const std::vector<Row>& errors :
         {committed("gpu_predicted"), product_error_rows(predicted_products(gpu_file("h100")))}) {
      for (const char* dtype : {"bf16", "fp16", "fp8_e4m3", "tf32", "fp32"}) {
        const std::string line =
            line_of(errors_of(errors, dtype), dtype, {"trees_mean", "roofline_mean", "milestone_mean"});
        CHECK_MESSAGE(products.find(line) != std::string::npos, line);
      }
    }
    const std::string operators = read_file(sample::kSource + "/docs/gpu-predicted-operators.md");
    const std::vector<Row> errors = committed("gpu_predicted_operators");
    for (const auto& [name, of] : {std::pair{"operators but cross-entropy", "operators but cross_entropy"},
                                   {"LayerNorm", "layernorm"},
                                   {"GELU", "gelu"},
                                   {"Swish", "swish"},
                                   {"MSE", "mse"},
                                   {"cross-entropy", "cross_entropy"},
                                   {"copies within the GPU", "device_to_device"},
                                   {"copies to a peer", "peer"},
                                   {"both ways at a time", "peer_bidirectional"}}) {
      const std::string line = line_of(errors_of(errors, of), name, {"roofline_mean"});
      CHECK_MESSAGE(operators.find(line) != std::string::npos, line);
    }
  }

  TEST_CASE("52.1 a point of every counted row in the figures, beside the errors of the others") {
    Results results = h200_products();
    const std::vector<Row> errors = product_error_rows(results);
    results.rows.insert(results.rows.end(), errors.begin(), errors.end());
    const std::vector<Figure> figures = gpu_predicted_figures(results, {});
    REQUIRE(figures.size() == 3);
    const auto counted = static_cast<std::size_t>(std::ranges::count_if(results.rows, is_counted));
    CHECK(sample::records(figures[0]).size() == counted);
    CHECK(sample::records(figures[2]).size() == 20);
    for (const std::string& svg : draw_svg(figures)) CHECK(svg.find("machine h200") != std::string::npos);
    CHECK(gpu_predicted_headline(results, {}).starts_with("Mean error on nvidia-h200: bf16 "));
    CHECK(gpu_predicted_figures({}, {}).empty());
  }
}
