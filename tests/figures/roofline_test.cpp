// The roofline of the GEMM milestone: its points are those of the results, its roofs those of the machine.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

using namespace kernbench;

std::int64_t fetched(const Row& row) {
  for (const StageRow& stage : row.stages) {
    if (stage.stage == "fetch") return stage.bytes;
  }
  return 0;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.14 the roofline has every point, with the values of its row") {
    CHECK(rc::check([](std::uint64_t seed) {
      std::mt19937_64 random(seed);
      const auto [sim, theory] = sample::random_results(random);
      const Figure figure = roofline(sim, sample::milestone());
      const Json& records = sample::records(figure);
      RC_ASSERT(records.size() == sim.rows.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        const Row& row = sim.rows[i];
        const bool good = row.status == "ok";
        for (const char* name : {"tflops", "time_ns", "useful_macs", "hbm_read_bytes", "hbm_written_bytes"}) {
          RC_ASSERT(records[i].at(name) == (good ? row.metrics.json().at(name) : Json(nullptr)));
        }
        RC_ASSERT(records[i].at("fetched_bytes") == (good ? Json(fetched(row)) : Json(nullptr)));
      }
    }));
  }

  TEST_CASE("11.14 each panel's roof is its bandwidth up to the array's peak, and both meet at the ridge point") {
    const auto [sim, theory] = sample::results();
    const MachineSpec machine = sample::milestone({"die.hbm.bandwidth=128 GB/s", "pe.fetch_bandwidth=1024 GB/s"});
    const Figure figure = roofline(sim, machine);
    const std::vector<double> bandwidths{128, 1024};
    for (std::size_t panel = 0; panel < 2; ++panel) {
      const Json& roof = figure.spec.at("hconcat").at(panel).at("layer").at(0).at("data").at("values");
      REQUIRE(roof.size() == 3);
      for (const Json& corner : roof) {
        const double fed = corner.at("intensity").get<double>() * bandwidths[panel] / 1000;
        CHECK(corner.at("tflops").get<double>() == doctest::Approx(std::min(8.192, fed)));
      }
      CHECK(roof[1].at("intensity").get<double>() == doctest::Approx(8192 / bandwidths[panel]));
    }
  }

  TEST_CASE(
      "11.14 a drawn point's intensity is its FLOP over the bytes moved, and none is above its roofs but for queued "
      "writes") {
    const Results sim = read_results(sample::kSource + "/benches/milestone_1h_gemm/results/results.json");
    const std::string svg = draw_svg({roofline(sim, sample::milestone())}).at(0);
    const auto queued = static_cast<double>(queued_writes(sample::milestone()));
    std::map<std::string, int> expected;
    for (const Row& row : sim.rows) {
      const double flop = 2 * row.metrics.json().at("useful_macs").get<double>();
      const double moved = row.metrics.json().at("hbm_read_bytes").get<double>() +
                           row.metrics.json().at("hbm_written_bytes").get<double>();
      const double of_hbm = flop / moved;
      const double of_fetch = flop / static_cast<double>(fetched(row));
      ++expected[fmt::format("FLOP per HBM byte: {:.4g}; FLOP per byte fetched from TCM: {:.4g}", of_hbm, of_fetch)];
      const double tflops = row.metrics.json().at("tflops").get<double>();
      CHECK(tflops <= std::min(8.192, 0.512 * of_fetch));
      const double written = row.metrics.json().at("hbm_written_bytes").get<double>();
      const double through = moved - std::min(written, queued);  // the rest may still wait when the window ends
      CHECK(tflops <= 0.256 * flop / through);
    }
    for (const auto& [text, times] : expected) {
      int found = 0;
      for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) ++found;
      const std::string& wanted = text;
      CHECK_MESSAGE(found == 2 * times, wanted);  // once a panel
    }
  }

  TEST_CASE("11.14 a point that failed is named below the title") {
    auto [sim, theory] = sample::results();
    sim.rows[1].status = "failed";
    sim.rows[1].metrics.json() = Json::object();
    const Figure figure = roofline(sim, sample::milestone());
    const Json& notes = figure.spec.at("title").at("subtitle");
    CHECK(std::ranges::find(notes, "Missing, because it failed: 32 64 32 load_ref") != notes.end());
  }

  TEST_CASE("11.5 the roofline's text is 12 px high or more, and it is no wider than a page of text shows it") {
    const auto [sim, theory] = sample::results();
    const std::string svg = draw_svg({roofline(sim, sample::milestone())}).at(0);
    int sizes = 0;
    const std::string key = "font-size=\"";
    for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1)) {
      CHECK(std::stod(svg.substr(at + key.size())) >= 12);
      ++sizes;
    }
    CHECK(sizes > 20);
    CHECK(std::stod(svg.substr(svg.find(" width=\"") + 8)) <= 900);
  }
}
