// The figures that set simulated results beside those of real GPUs, held against invented results of both.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/workloads/bench.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

using namespace kernbench;

Results measured_file(const std::string& bench) {
  Results results;
  results.bench = bench;
  results.source = {"gpu:Invented 1", "invented-1", "", "", "1"};
  results.provenance = {{"created_at", "2026-02-03T04:05:06Z"},
                        {"environment", {{"driver", "1.2.3"}, {"cuda_runtime", "13.0"}}}};
  return results;
}

/// Every shape of `sim` in every dtype, backend and state of the L2, each with numbers of its own.
Results invented_gemm(const Results& sim) {
  Results results = measured_file("gpu-gemm");
  double next = 1;
  std::set<std::string> shapes;
  for (const Row& of : sim.rows) {
    const Json shape{{"m", of.point.at("m")}, {"k", of.point.at("k")}, {"n", of.point.at("n")}};
    if (!shapes.insert(shape.dump()).second) continue;
    for (const char* dtype : {"fp32", "bf16"}) {
      for (const char* backend : {"cublaslt", "triton"}) {
        for (const char* l2 : {"warm", "flushed"}) {
          Row row;
          row.point = shape;
          row.point.update({{"dtype", dtype}, {"backend", backend}, {"l2", l2}});
          next += 1;
          row.metrics.json() = {{"time_ns", 1000 + next}, {"time_p10_ns", 1000.0}, {"time_p90_ns", 2000.0},
                                {"latency_ns", 9000.0},   {"tflops", next / 2},    {"peak_fraction", next / 1000}};
          results.rows.push_back(std::move(row));
        }
      }
    }
  }
  return results;
}

using Pair = std::pair<double, double>;

Pair pair_of(const Json& values, const char* first, const char* second) {
  return {values.at(first).get<double>(), values.at(second).get<double>()};
}

std::string subtitle(const Figure& figure) { return figure.spec.at("title").at("subtitle").dump(); }

/// Simulated rows of every point of the collectives bench, and those derived from them.
Results invented_ccl() {
  std::mt19937_64 random(25);
  std::uniform_real_distribution<double> number(10, 1e6);
  Results sim;
  sim.bench = "milestone-1h-ccl";
  sim.source = {"sim", "invented-for-tests", "0123456789abcdef", "0", "0"};
  for (const LabelledPoint& point : expand_points(find_bench("milestone-1h-ccl"))) {
    Row row;
    row.point = point.point;
    for (const char* name : {"time_ns", "busbw_gbs"}) row.metrics.json()[name] = number(random);
    row.metrics.json()["bound_fraction"] = number(random) / 1e6;
    const std::string scale = point.point.at("scale");
    row.metrics.json()["ranks"] = scale == "die" ? 8 : scale == "package" ? 128 : 768;
    sim.rows.push_back(std::move(row));
  }
  for (Row& row : derive_collectives(sim)) sim.rows.push_back(std::move(row));
  return sim;
}

Results invented_nccl() {
  Results results = measured_file("gpu-collectives");
  double next = 1;
  for (const char* collective : {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"}) {
    for (const int gpus : {2, 4}) {
      for (const char* setting : {"default", "ring"}) {
        for (std::int64_t bytes = 1024; bytes <= std::int64_t{1} << 30; bytes *= 32) {
          Row row;
          row.point = {{"collective", collective}, {"gpus", gpus}, {"bytes", bytes}, {"setting", setting}};
          next += 1;
          row.metrics.json() = {{"time_ns", 5000 + next}, {"busbw_gbs", next}, {"bound_fraction", next / 1000}};
          results.rows.push_back(std::move(row));
        }
      }
    }
  }
  return results;
}

/// The records of a figure that come from rows of `results`, as (time, value of `metric`) pairs.
std::set<Pair> values_of(const Json& data, const std::string& source, const char* metric) {
  std::set<Pair> values;
  for (const Json& record : data) {
    if (record.at("source") == source) values.insert(pair_of(record, "time_ns", metric));
  }
  return values;
}

}  // namespace

TEST_SUITE("ADR-0025") {
  TEST_CASE("25.1 beside every simulated shape stand the cuBLASLt bf16 rows of both states of the L2, and no others") {
    const Results sim = sample::results().first;
    const Results gpu = invented_gemm(sim);
    const Figure figure = gemm_beside_gpus(sim, {gpu});
    std::map<std::string, int> of_series;
    for (const Json& record : sample::records(figure)) {
      ++of_series[record.at("series")];
      if (record.at("machine") != "Invented 1") continue;
      CHECK(record.at("dtype") == "bf16");
      CHECK(record.at("backend") == "cublaslt");
    }
    CHECK(of_series.at("Invented 1: L2 warm") == 8);
    CHECK(of_series.at("Invented 1: L2 flushed") == 8);
    CHECK(of_series.at("one PE, simulated: load_ref") == 8);
    CHECK(of_series.size() == 5);
  }

  TEST_CASE("25.2 fractions of the own peak and TFLOPS are the rows', on logarithmic axes, and printed") {
    auto sim = sample::results().first;
    for (Row& row : sim.rows) row.metrics.json()["tflops"] = row.metrics.json().at("useful_eff").get<double>() * 8.192;
    const Results gpu = invented_gemm(sim);
    const Figure figure = gemm_beside_gpus(sim, {gpu});
    std::multiset<Pair> shown;
    for (const Json& record : sample::records(figure)) shown.insert(pair_of(record, "fraction", "tflops"));
    std::multiset<Pair> expected;
    for (const Row& row : sim.rows) expected.insert(pair_of(row.metrics.json(), "useful_eff", "tflops"));
    for (const Row& row : gpu.rows) {
      if (row.point.at("dtype") != "bf16" || row.point.at("backend") != "cublaslt") continue;
      expected.insert(pair_of(row.metrics.json(), "peak_fraction", "tflops"));
    }
    CHECK(shown == expected);
    const std::string spec = figure.spec.dump();
    CHECK(spec.find("\"fraction_text\"") != std::string::npos);
    CHECK(spec.find("\"tflops_text\"") != std::string::npos);
    CHECK(spec.find("\"type\":\"log\"") != spec.rfind("\"type\":\"log\""));
  }

  TEST_CASE("25.3 the measured time is the one without launch gaps") {
    const Results sim = sample::results().first;
    const Figure figure = gemm_beside_gpus(sim, {invented_gemm(sim)});
    for (const Json& record : sample::records(figure)) {
      if (record.at("machine") == "Invented 1") CHECK(record.at("time_ns").get<double>() < 9000);
    }
  }

  TEST_CASE("25.4 a simulated series shows the algorithm that the derived row names; NCCL's the default setting") {
    const Results sim = invented_ccl();
    const Results nccl = invented_nccl();
    const Figure figure = all_reduce_beside_gpus(sim, {nccl});
    std::map<std::string, std::set<std::int64_t>> sizes;
    for (const Json& record : sample::records(figure)) {
      CHECK_MESSAGE(sizes[record.at("series")].insert(record.at("bytes").get<std::int64_t>()).second, record.dump());
      if (record.at("source") != "sim" || record.at("series").get<std::string>().starts_with("six")) continue;
      const std::string scale = record.at("series").get<std::string>().starts_with("die") ? "die" : "package";
      double least = 1e18;
      for (const Row& row : sim.rows) {
        if (row.point.contains("derived") || row.point.at("collective") != "all_reduce") continue;
        if (row.point.at("scale") != scale || row.point.contains("pes")) continue;
        if (row.point.at("bytes") == record.at("bytes"))
          least = std::min(least, row.metrics.json().at("time_ns").get<double>());
      }
      CHECK(record.at("time_ns") == least);
    }
    CHECK(sizes.size() == 5);
    CHECK(sizes.count("die: 8 PEs") == 1);
    CHECK(sizes.count("package: 128 PEs") == 1);
    CHECK(sizes.count("six packages: 768 PEs") == 1);
    CHECK(sizes.at("2 × Invented 1, NCCL").size() == 5);
    CHECK(sizes.at("4 × Invented 1, NCCL").size() == 5);
  }

  TEST_CASE("25.5 all_reduce has time and share of the bound, the others time with the die") {
    const Results sim = invented_ccl();
    const Results nccl = invented_nccl();
    const std::vector<Figure> figures = milestone_1h_ccl_beside(sim, {nccl});
    REQUIRE(figures.size() == 2);
    std::set<Pair> expected;
    for (const Row& row : nccl.rows) {
      if (row.point.at("collective") != "all_reduce" || row.point.at("setting") != "default") continue;
      expected.insert(pair_of(row.metrics.json(), "time_ns", "bound_fraction"));
    }
    CHECK(values_of(sample::records(figures[0]), "gpu", "bound_fraction") == expected);
    CHECK(figures[0].spec.at("hconcat").size() == 2);
    std::set<std::string> collectives;
    for (const Json& record : sample::records(figures[1])) {
      collectives.insert(record.at("collective"));
      if (record.at("source") == "sim") CHECK(record.at("series") == "die: 8 PEs");
    }
    CHECK(collectives == std::set<std::string>{"reduce_scatter", "all_gather", "broadcast", "all_to_all"});
    CHECK(draw_svg(figures).size() == 2);
  }

  TEST_CASE("25.6 device, driver, CUDA and date, noisy rows, and points that were not measured are named") {
    const Results sim = sample::results().first;
    Results gpu = invented_gemm(sim);
    std::size_t marked = 0;
    for (Row& row : gpu.rows) {
      const bool shown = row.point.at("dtype") == "bf16" && row.point.at("backend") == "cublaslt";
      if (!shown || marked == 3) continue;
      ++marked;
      row.flags = {"noisy"};
    }
    std::erase_if(gpu.rows, [](const Row& row) { return row.point.at("m") == 256; });
    for (Row& row : gpu.rows) {
      if (row.point.at("m") != 512) continue;
      row.status = "failed";
      row.reason = "wrong: relative error 0.5";
    }
    const Figure figure = gemm_beside_gpus(sim, {gpu});
    CHECK(subtitle(figure).find("Invented 1, driver 1.2.3, CUDA 13.0, measured 2026-02-03") != std::string::npos);
    CHECK(subtitle(figure).find("3 of the 14 measured values are marked noisy") != std::string::npos);
    std::map<std::string, int> said;
    for (const Json& record : sample::records(figure)) ++said[record.at("status")];
    CHECK(said.at("not measured") == 2);
    CHECK(said.at("failed") == 2);
    const std::string svg = draw_svg({figure}).front();
    CHECK(svg.find("not measured") != std::string::npos);
    CHECK(svg.find("failed") != std::string::npos);
  }

  TEST_CASE("25.7 without measured rows of what was simulated there is no figure") {
    const Results sim = invented_ccl();
    CHECK(milestone_1h_ccl_beside(sim, {}).empty());
    Results other = invented_nccl();
    for (Row& row : other.rows) row.point["setting"] = "tree";
    CHECK(milestone_1h_ccl_beside(sim, {other}).empty());
  }
}
