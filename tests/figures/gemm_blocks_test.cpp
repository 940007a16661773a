// gemm-blocks: its knee, its traffic by formula, and what is drawn of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "benches/gemm_blocks/figures.hpp"
#include "benches/gemm_blocks/knee.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "sim/plan/mapping_search.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;

namespace {

Row row_of(const std::string& block, double time_ns, std::int64_t tcm) {
  Row row;
  row.point = {{"block", block}};
  row.metrics.json() = {{"time_ns", time_ns}, {"tcm_bytes", tcm}};
  return row;
}

Results committed(const std::string& file) {
  return read_results(sample::kSource + "/benches/gemm_blocks/results/" + file);
}

const Row& row_of_block(const Results& results, const std::string& block) {
  return *std::ranges::find_if(results.rows, [&](const Row& row) { return row.point.value("block", "") == block; });
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.14 the knee is the smallest square block that takes at most 5 % longer than the fastest square one") {
    Results sim;
    sim.rows = {row_of("128x128x128", 105, 2), row_of("64x64x64", 105.01, 1), row_of("256x256x256", 100, 3),
                row_of("32x32x512", 10, 1), row_of("auto", 5, 1)};
    std::vector<Row> knee = knee_of_squares(sim);
    REQUIRE(knee.size() == 1);
    CHECK(knee[0].point == Json{{"derived", "knee"}});
    CHECK(knee[0].metrics.json().at("block") == "128x128x128");
    CHECK(knee[0].metrics.json().at("fastest_square_ns") == 100);
    sim.rows[1].metrics.json()["time_ns"] = 105;
    CHECK(knee_of_squares(sim).at(0).metrics.json().at("block") == "64x64x64");
    for (Row& row : sim.rows) row.status = "skipped";
    CHECK(knee_of_squares(sim).empty());
  }

  TEST_CASE("32.14 32.15 committed: traffic is the formula's and above the least there is; what is chosen is fastest") {
    const Results sim = committed("results.json");
    double fastest = std::numeric_limits<double>::infinity();
    int blocks = 0;
    for (const Row& row : sim.rows) {
      if (row.point.contains("derived")) continue;
      const auto whole = [&row](const char* name) { return row.metrics.json().at(name).get<std::int64_t>(); };
      CHECK(whole("hbm_read_bytes") + whole("hbm_written_bytes") == whole("traffic_bytes"));
      CHECK(row.metrics.json().at("traffic_bytes").get<double>() >=
            row.metrics.json().at("least_traffic_bytes").get<double>());
      const std::int64_t size = row.point.at("m");
      CHECK(row.metrics.json().at("least_traffic_bytes").get<double>() ==
            doctest::Approx(least_traffic({size, size, size}, whole("tcm_bytes"))).epsilon(1e-12));
      fastest = std::min(fastest, row.metrics.json().at("time_ns").get<double>());
      ++blocks;
      if (!is_square(row.point.at("block"))) continue;
      // A and B are read once for each block of C across and down, or once where a block has all of K and stays.
      const std::int64_t side = std::stoll(row.point.at("block").get<std::string>());
      const std::int64_t times = (size + side - 1) / side;
      CHECK(whole("traffic_bytes") == 2 * size * size * (2 * times + 1));
    }
    CHECK(blocks > 5);
    CHECK(row_of_block(sim, kAuto).metrics.json().at("time_ns") == fastest);
  }

  TEST_CASE("32.14 the figure has every point of the results, marks the knee, and is drawn without a warning") {
    const Results sim = committed("results.json");
    const Figure figure = time_and_traffic_over_blocks(sim, committed("theory.json"));
    const Json& records = sample::records(figure);
    std::size_t at = 0;
    for (const Row& row : sim.rows) {
      if (row.point.contains("derived")) continue;
      for (const char* name : {"time_ns", "estimate_ns", "tcm_bytes", "hbm_read_bytes", "least_traffic_bytes"}) {
        CHECK(records.at(at).at(name) == row.metrics.json().at(name));
      }
      CHECK(records.at(at).at("bound_ns").get<double>() <= row.metrics.json().at("time_ns").get<double>());
      ++at;
    }
    CHECK(records.size() == at);
    const std::string svg = draw_svg({figure}).at(0);
    CHECK(svg.find("knee: 256³ is the") != std::string::npos);
    CHECK(gemm_blocks_headline(sim, {}).find("256³ is the smallest square one") != std::string::npos);
    Results none = sim;
    for (Row& row : none.rows) row.status = "skipped";
    CHECK(gemm_blocks_headline(none, {}).empty());
  }
}
