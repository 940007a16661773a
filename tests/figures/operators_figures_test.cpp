// operators: what is drawn of simulated rows, and beside measured ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "benches/operators/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/store.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

namespace {

Results operators_committed(const std::string& file) {
  return read_results(sample::kSource + "/benches/operators/results/" + file);
}

Row measured_operator(const std::string& implementation, const std::string& l2, double time_ns,
                      const std::string& status) {
  Row row;
  row.point = {{"operation", "gelu"},
               {"implementation", implementation},
               {"batch_size", 1},
               {"sequence_length", 128},
               {"tensor_dimension", 768},
               {"dtype", "bf16"},
               {"l2", l2}};
  row.status = status;
  if (status == "ok")
    row.metrics.json() = {{"time_ns", time_ns}, {"efficiency", 100 / time_ns}, {"throughput_gbps", 1.0}};
  return row;
}

Results simulated_operators() {
  Results sim;
  sim.bench = "operators";
  sim.source = {"sim", "toy", "", "4", "1"};
  for (const char* operation : {"gelu", "softmax"}) {
    Row row;
    row.point = {{"operation", operation},  {"implementation", "plan"}, {"batch_size", 1}, {"sequence_length", 128},
                 {"tensor_dimension", 768}, {"dtype", "bf16"},          {"over", "die"}};
    row.metrics.json() = {{"time_ns", 200.0}, {"efficiency", 0.5}, {"bandwidth_share", 0.25}, {"throughput_gbps", 2.0}};
    sim.rows.push_back(row);
  }
  return sim;
}

/// Of cuda with the fastest time, but wrong values.
Results gpu_operators() {
  Results measured;
  measured.bench = "gpu-operators";
  measured.source.kind = "gpu:TOY";
  measured.rows = {measured_operator("cuda", "flushed", 10, "failed"),
                   measured_operator("pytorch", "flushed", 400, "ok"),
                   measured_operator("triton", "flushed", 200, "ok"), measured_operator("triton", "warm", 1, "ok")};
  return measured;
}

std::map<std::string, Json> operators_by_series(const Figure& figure) {
  std::map<std::string, Json> records;
  for (const Json& record : sample::records(figure)) records[record.at("series")] = record;
  return records;
}

}  // namespace

TEST_SUITE("ADR-0043") {
  TEST_CASE("43.15 heat maps and times have every point, with the rows' values") {
    const Results sim = operators_committed("results.json");
    const Results theory = operators_committed("theory.json");
    REQUIRE(sim.rows.size() == 96);
    for (const Figure& figure : operator_figures(sim, theory)) {
      const Json& records = sample::records(figure);
      REQUIRE(records.size() == sim.rows.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        const Row& row = sim.rows[i];
        CHECK(records[i].at("row") == i);
        CHECK(records[i].at("operation") == row.point.at("operation"));
        for (const char* name : {"time_ns", "efficiency", "bandwidth_share"}) {
          CHECK(records[i].at(name) == row.metrics.json().at(name));
        }
        if (figure.name == "operator_times") {
          CHECK(records[i].at("bound_ns") == theory.rows[i].metrics.json().at("time_ns"));
          CHECK(row.metrics.json().at("plan_bound_ns") == theory.rows[i].metrics.json().at("time_ns"));
        }
      }
    }
  }

  TEST_CASE("43.11 committed: columns agree with each other, and nothing is beyond its roofline") {
    for (const Row& row : operators_committed("results.json").rows) {
      const auto number = [&row](const char* name) { return row.metrics.json().at(name).get<double>(); };
      CHECK(number("inference_speed") == doctest::Approx(1000 / number("time_ms")));
      CHECK(number("time_ms") == doctest::Approx(number("time_ns") * 1e-6));
      CHECK(number("efficiency") == doctest::Approx(number("roofline_ns") / number("time_ns")));
      CHECK(number("bandwidth_share") == doctest::Approx(number("throughput_gbps") / (128 * 256)));
      CHECK(number("efficiency") <= 1);
      CHECK(number("plan_bound_ns") <= number("time_ns"));
      CHECK(number("roofline_ns") <= number("plan_bound_ns"));
      CHECK(number("memory_mb") > 0);
    }
  }

  TEST_CASE(
      "43.15 beside GPUs: shares of each machine's own peak, with a flushed L2, and no time of one by the other's") {
    const auto records = operators_by_series(operators_beside_gpus(simulated_operators(), {gpu_operators()}));
    REQUIRE(records.size() == 4);
    CHECK(records.at("toy, simulated: plan").at("fraction") == 0.25);
    CHECK(records.at("TOY: triton").at("fraction") == 0.5);
    CHECK(records.at("TOY: pytorch").at("fraction") == 0.25);
    CHECK(records.at("TOY: cuda").at("fraction").is_null());
    CHECK(records.at("TOY: cuda").at("status") == "failed");
  }

  TEST_CASE("43.15 what is wrong is neither fastest nor baseline, however fast it was") {
    const auto records = operators_by_series(operator_speed_up(simulated_operators(), {gpu_operators()}));
    REQUIRE(records.size() == 3);
    CHECK(records.at("TOY: triton").at("fastest") == true);
    CHECK(records.at("TOY: triton").at("baseline_ns") == 400);
    CHECK(records.at("TOY: pytorch").at("fastest") == false);
    CHECK(records.at("TOY: cuda").at("fastest") == false);
    CHECK(records.at("TOY: cuda").at("time_ns").is_null());
    Results wrong_baseline = gpu_operators();
    wrong_baseline.rows[1].status = "failed";
    const auto without = operators_by_series(operator_speed_up(simulated_operators(), {wrong_baseline}));
    CHECK(without.at("TOY: triton").at("baseline_ns").is_null());
  }

  TEST_CASE("43.15 without measured rows of the points nothing stands beside; of several dtypes nothing is drawn") {
    Results other = gpu_operators();
    for (Row& row : other.rows) row.point["dtype"] = "fp32";
    CHECK(operator_figures_beside(simulated_operators(), {other}).empty());
    CHECK(operator_figures_beside(simulated_operators(), {gpu_operators()}).size() == 2);
    Results several = simulated_operators();
    several.rows[0].point["dtype"] = "fp32";
    CHECK(operator_figures(several, {}).empty());
    CHECK(operator_figures_beside(several, {gpu_operators()}).empty());
  }

  TEST_CASE("43.15 what failed says so in its place, and all figures can be drawn") {
    Results sim = simulated_operators();
    sim.rows[1].status = "failed";
    sim.rows[1].reason = "verification failed";
    sim.rows[1].metrics.json() = Json::object();
    const Figure shares = operator_shares(sim);
    CHECK(sample::records(shares)[1].at("efficiency").is_null());
    CHECK(sample::records(shares)[1].at("status") == "failed");
    CHECK(operators_headline(sim, {}).find("gelu of 1×128×768 with 50.0 %") != std::string::npos);
    std::vector<Figure> figures = operator_figures(sim, {});
    for (Figure& figure : operator_figures_beside(sim, {gpu_operators()})) figures.push_back(std::move(figure));
    CHECK(draw_svg(figures).size() == 4);
  }
}
