// gemm-micro: committed rows agree with each other, and what is drawn of them and beside measured ones.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "benches/gemm_micro/figures.hpp"
#include "benches/gemm_micro/shapes.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/rows/store.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

namespace {

Results micro_committed(const std::string& file) {
  return read_results(sample::kSource + "/benches/gemm_micro/results/" + file);
}

const Figure& micro_figure(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  REQUIRE_MESSAGE(found != figures.end(), name);
  return *found;
}

Row micro_row(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& dtype, double share) {
  Row row;
  row.point = {
      {"m", m}, {"k", k}, {"n", n}, {"dtype", dtype}, {"variant", "auto"}, {"over", "die"}, {"backend", "simulated"}};
  row.metrics.json() = {
      {"time_ns", 1 / share}, {"tflops", 100 * share}, {"peak_tflops", 100.0}, {"peak_fraction", share}, {"pes", 8}};
  return row;
}

/// Of one machine; larger squares reach more.
Results micro_simulated() {
  Results sim;
  sim.bench = "gemm-micro";
  sim.source = {"sim", "toy", "", "4", "1"};
  for (const std::int64_t side : {256, 512, 1024, 4096}) {
    sim.rows.push_back(micro_row(side, side, side, "bf16", 0.1 + static_cast<double>(side) / 8192));
  }
  return sim;
}

/// The same shapes, in the opposite order with a warm L2 and the same order with a flushed one; one of them failed.
Results micro_gpu() {
  Results gpu;
  gpu.bench = "gpu-gemm";
  gpu.source.kind = "gpu:TOY";
  gpu.source.machine = "toy-gpu";
  double share = 0.1;
  for (const Row& row : micro_simulated().rows) {
    for (const char* l2 : {"flushed", "warm"}) {
      Row measured = row;
      measured.point.erase("variant");
      measured.point.erase("over");
      measured.point["backend"] = "cublaslt";
      measured.point["l2"] = l2;
      measured.metrics.json() = {{"peak_fraction", std::string(l2) == "flushed" ? share : 1 - share}, {"tflops", 7.0}};
      gpu.rows.push_back(measured);
      measured.point["backend"] = "triton";
      gpu.rows.push_back(measured);
    }
    share += 0.1;
  }
  for (Row& row : gpu.rows) {
    if (row.point.at("m") != 512) continue;
    row.status = "failed";
    row.metrics.json() = Json::object();
  }
  return gpu;
}

}  // namespace

TEST_SUITE("ADR-0045") {
  TEST_CASE("45.5 45.6 committed: columns agree with each other, and nothing beats its bound or its peak") {
    const Results theory = micro_committed("theory.json");
    std::size_t powered = 0;
    for (const Row& row : micro_committed("results.json").rows) {
      REQUIRE(row.status == "ok");
      const auto number = [&row](const char* name) { return row.metrics.json().at(name).get<double>(); };
      const double flops =
          2 * row.point.at("m").get<double>() * row.point.at("k").get<double>() * row.point.at("n").get<double>();
      CHECK(number("time_ns") >= metric(find_row(theory, row.point), "time_ns").get<double>());
      CHECK(number("tflops") == doctest::Approx(flops / number("time_ns") / 1000));
      CHECK(number("elapsed_s") == doctest::Approx(number("time_ns") * 1e-9));
      CHECK(number("peak_fraction") == doctest::Approx(number("tflops") / number("peak_tflops")));
      CHECK(number("peak_fraction") <= 1);
      CHECK(number("iterations") == 1);
      const bool known = row.point.at("dtype") != "fp8_e4m3";
      CHECK(row.metrics.json().contains("tflops_per_watt") == known);
      CHECK(row.metrics.json().contains("energy_missing") == !known);
      if (!known) continue;
      ++powered;
      double parts = 0;
      for (const auto& [name, value] : row.metrics.json().items()) {
        if (name.starts_with("energy_") && name.ends_with("_pj") && name != "energy_pj") parts += value.get<double>();
      }
      CHECK(number("energy_pj") == doctest::Approx(parts));
      CHECK(number("avg_power_w") == doctest::Approx(number("energy_pj") / number("time_ns") / 1000));
      CHECK(number("tflops_per_watt") == doctest::Approx(number("tflops") / number("avg_power_w")));
    }
    CHECK(powered == 306);
  }

  TEST_CASE("45.7 committed: squares, 27, few rows and 64, each shape once") {
    std::set<std::string> shapes;
    for (const AxisValue& value : micro_shapes().values) CHECK(shapes.insert(value.label).second);
    CHECK(shapes.size() == 7 + (27 - 3) + 9 + (64 - 2));
    const Results sim = micro_committed("results.json");
    CHECK(sim.rows.size() == 4 * shapes.size());
    std::vector<const Row*> rows;
    for (const Row& row : sim.rows) rows.push_back(&row);
    CHECK(rows_in_grid(rows, kSidesOf27).size() == 4 * 27);
    CHECK(rows_in_grid(rows, kSidesOf64).size() == 4 * 64);
  }

  TEST_CASE("45.8 committed: maps, curves and bars show the rows' values") {
    const Results sim = micro_committed("results.json");
    const std::vector<Figure> figures = gemm_micro_figures(sim, {});
    REQUIRE(figures.size() == 4);
    const Json& map = sample::records(micro_figure(figures, "throughput_64_simulated"));
    REQUIRE(map.size() == 256);
    for (const Json& record : map) {
      const std::vector<const Row*> rows = rows_where(
          sim, {{"m", record.at("m")}, {"k", record.at("k")}, {"n", record.at("n")}, {"dtype", record.at("dtype")}});
      REQUIRE(rows.size() == 1);
      for (const char* name : {"tflops", "peak_fraction"})
        CHECK(record.at(name) == rows.front()->metrics.json().at(name));
      CHECK(record.at("depth") == "K = " + record.at("k").dump());
    }
    CHECK(sample::records(micro_figure(figures, "throughput_27_simulated")).size() == 108);
    const Json& panels = micro_figure(figures, "throughput_curves_simulated").spec.at("hconcat");
    REQUIRE(panels.size() == 2);
    CHECK(panels[0].at("data").at("values").size() == 4 * 9);   // the squares of 27 and 64 too
    CHECK(panels[1].at("data").at("values").size() == 4 * 10);  // the square of 8192, too
    const Json& bars = micro_figure(figures, "efficiency_simulated").spec.at("hconcat")[0].at("data").at("values");
    REQUIRE(bars.size() == 10);
    double best = 0;
    for (const Row& row : sim.rows) best = std::max(best, row.metrics.json().value("tflops_per_watt", 0.0));
    CHECK(bars[0].at("tflops_per_watt") == best);
    for (std::size_t i = 1; i < bars.size(); ++i)
      CHECK(bars[i].at("tflops_per_watt") <= bars[i - 1].at("tflops_per_watt"));
  }

  TEST_CASE("45.8 a part of the bench draws what it has; two variants, or sets of PEs, nothing") {
    Results sim = micro_simulated();
    const std::vector<Figure> figures = gemm_micro_figures(sim, {});  // no map of so few, no energies
    REQUIRE(figures.size() == 1);
    CHECK(figures.front().name == "throughput_curves_simulated");
    CHECK(gemm_micro_headline(sim, {}) == "Nearest to its peak comes bf16 of 4096×4096×4096 with 60.0 % (60 TFLOPS).");
    sim.rows[0].point["variant"] = "load_ref";
    CHECK(gemm_micro_figures(sim, {}).empty());
    CHECK(gemm_micro_beside(sim, {micro_gpu()}).empty());
    sim = micro_simulated();
    sim.rows[0].point["over"] = "package";
    CHECK(gemm_micro_figures(sim, {}).empty());
  }

  TEST_CASE("45.9 beside: the same shapes by cublaslt with a flushed L2, and how far the orders agree") {
    const std::vector<Figure> figures = gemm_micro_beside(micro_simulated(), {micro_gpu()});
    const Json& shares = sample::records(micro_figure(figures, "shares_beside_toy_gpu"));
    REQUIRE(shares.size() == 3);  // of four shapes one failed
    CHECK(shares[0].at("panel") == "bf16: ρ 1.00");
    CHECK(shares[0].at("measured") == 0.1);
    CHECK(shares[0].at("peak_fraction") == doctest::Approx(0.1 + 1.0 / 32));
    const Json& map = sample::records(micro_figure(figures, "throughput_64_toy_gpu"));
    REQUIRE(map.size() == 2);
    CHECK(map[0].at("tflops") == 7.0);
    CHECK(gemm_micro_beside(micro_simulated(), {}).empty());
    for (const Figure& figure : figures) CHECK(!draw_svg({figure}).empty());
  }

  TEST_CASE("45.9 committed: the best of each source stand beside each other") {
    const Results gpu = read_results(sample::kSource + "/benches/reference/nvidia-h200/gemm.json");
    const std::vector<Figure> figures = gemm_micro_beside(micro_committed("results.json"), {gpu});
    REQUIRE(figures.size() == 3);
    const Json& panels = micro_figure(figures, "efficiency_beside_gpus").spec.at("hconcat");
    REQUIRE(panels.size() == 2);
    for (const Json& panel : panels) CHECK(panel.at("data").at("values").size() == 10);
    CHECK(sample::records(micro_figure(figures, "throughput_64_nvidia_h200")).size() == 256);
    CHECK(sample::records(micro_figure(figures, "shares_beside_nvidia_h200")).size() == 408);
  }
}
