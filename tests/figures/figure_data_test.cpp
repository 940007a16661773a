// What stands in the figures' data and text, held against the results that they were made from.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <map>
#include <set>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "tests/figures/drawing.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

using kernbench::Figure;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;

Json point_of(const Json& record) {
  return {{"m", record.at("m")}, {"k", record.at("k")}, {"n", record.at("n")}, {"variant", record.at("variant")}};
}

const Row* row_at(const Results& results, const Json& point) {
  for (const Row& row : results.rows) {
    if (row.point == point) return &row;
  }
  return nullptr;
}

/// What a figure has to show of a metric: the number stored, or null.
Json stored(const Row* row, const char* metric) {
  return row == nullptr || row->status != "ok" ? Json(nullptr) : row->metrics.json().at(metric);
}

std::set<std::string> points_of(const Figure& figure) {
  std::set<std::string> points;
  for (const Json& record : kernbench::sample::records(figure)) points.insert(point_of(record).dump());
  return points;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.1 the numbers in a figure's data are those of the results, and every point is there") {
    CHECK(rc::check([](std::uint64_t seed) {
      std::mt19937_64 random(seed);
      const auto [sim, theory] = kernbench::sample::random_results(random);

      for (const Figure& figure : kernbench::milestone_1h_gemm_figures(sim, theory)) {
        RC_ASSERT(points_of(figure).size() == 24U);
        for (const Row& row : sim.rows) RC_ASSERT(points_of(figure).count(row.point.dump()) == 1U);
      }

      const Figure breakdown = kernbench::stage_breakdown_simulated(sim);
      std::size_t shown = 0;
      for (const Json& record : kernbench::sample::records(breakdown)) {
        const Row* row = row_at(sim, point_of(record));
        RC_ASSERT(record.at("time_ns") == stored(row, "time_ns"));
        if (!record.contains("engine")) continue;
        ++shown;
        RC_ASSERT(std::any_of(row->stages.begin(), row->stages.end(), [&](const kernbench::StageRow& stage) {
          return record.at("engine") == stage.engine && record.at("wall_ns") == stage.wall_ns &&
                 record.at("busy_ns") == stage.busy_ns;
        }));
      }
      std::size_t expected = 0;
      for (const Row& row : sim.rows) {
        for (const auto& stage : row.stages) expected += stage.stage != "control" && stage.stage != "schedule";
      }
      RC_ASSERT(shown == expected);

      const Figure utilisation = kernbench::mac_utilisation_simulated(sim, theory);
      RC_ASSERT(kernbench::sample::records(utilisation).size() == 48U);
      for (const Json& record : kernbench::sample::records(utilisation)) {
        const char* metric = record.at("metric") == "MAC utilisation" ? "mac_util" : "useful_eff";
        RC_ASSERT(record.at("simulated") == stored(row_at(sim, point_of(record)), metric));
        RC_ASSERT(record.at("theory") == stored(row_at(theory, point_of(record)), metric));
      }

      const Figure comparison = kernbench::bound_vs_simulated(sim, theory);
      RC_ASSERT(kernbench::sample::records(comparison).size() == 24U);
      for (const Json& record : kernbench::sample::records(comparison)) {
        RC_ASSERT(record.at("simulated_ns") == stored(row_at(sim, point_of(record)), "time_ns"));
        RC_ASSERT(record.at("bound_ns") == stored(row_at(theory, point_of(record)), "time_ns"));
      }
    }));
  }

  TEST_CASE("11.2 the numbers printed in a drawing are the stored ones, and what is above the bound their ratio") {
    const auto [sim, theory] = kernbench::sample::results();
    const auto drawings = kernbench::draw_svg(kernbench::milestone_1h_gemm_figures(sim, theory));
    std::map<std::string, int> windows;
    std::map<std::string, int> shares;
    std::map<std::string, int> distances;
    for (const Row& row : sim.rows) {
      const double time = row.metrics.json().at("time_ns");
      ++windows[time < 1000 ? fmt::format("{:.4g} ns", time) : fmt::format("{:.4g} µs", time / 1000)];
      for (const char* metric : {"mac_util", "useful_eff"})
        ++shares[fmt::format("{:.1f}%", 100 * row.metrics.json().at(metric).get<double>())];
      const double above = 100 * (time / row_at(theory, row.point)->metrics.json().at("time_ns").get<double>() - 1);
      ++distances[std::abs(above) < 1 ? fmt::format("{:.2f}%", above) : fmt::format("{:.1f}%", above)];
    }
    const std::vector expected{windows, windows, shares, distances};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto texts = kernbench::sample::texts_of(drawings.at(i));
      for (const auto& [text, times] : expected[i]) {
        const bool printed = texts.count(text) == 1 && texts.at(text) >= times;
        const std::string& expected_text = text;
        CHECK_MESSAGE(printed, "figure " << i << " prints " << expected_text);
      }
    }
  }

  TEST_CASE("11.2 a bar of the stage breakdown is as long as its stage's wall-clock is of the PE window") {
    const auto [sim, theory] = kernbench::sample::results();
    const kernbench::Figure breakdown = kernbench::stage_breakdown_simulated(sim);
    const std::string svg = kernbench::draw_svg({breakdown}).at(0);
    const double full = breakdown.spec.at("spec").at("width");
    std::size_t bars = 0;
    const std::string open = "<path aria-label=\"stage wall-clock";
    for (std::size_t at = svg.find(open); at != std::string::npos; at = svg.find(open, at + 1)) {
      const std::string bar = svg.substr(at, svg.find('>', at) - at);
      const double share = kernbench::sample::number_after(bar, "wall-clock (ns): ") /
                           kernbench::sample::number_after(bar, "PE window (ns): ");
      CHECK(kernbench::sample::number_after(bar.substr(bar.find(" d=")), "h") ==
            doctest::Approx(full * share).epsilon(1e-4));
      ++bars;
    }
    CHECK(bars == kernbench::sample::records(breakdown).size());
  }

  TEST_CASE("11.3 a point that failed, or that theory lacks, keeps its place and says so") {
    auto [sim, theory] = kernbench::sample::results();
    Row& failed = sim.rows[1];
    failed.status = "failed";
    failed.metrics.json() = Json::object();
    failed.stages.clear();
    theory.rows.erase(theory.rows.begin() + 5);
    const auto drawings = kernbench::draw_svg(kernbench::milestone_1h_gemm_figures(sim, theory));
    const auto count = [&](std::size_t figure, const char* text) {
      return kernbench::sample::texts_of(drawings.at(figure))[text];
    };
    CHECK(count(0, "failed") == 1);
    CHECK(count(1, "failed") == 1);
    CHECK(count(2, "failed") == 2);  // one for each metric
    CHECK(count(3, "failed") == 1);
    CHECK(count(3, "no bound") == 1);
  }

  TEST_CASE("11.4 a drawing names bench, machine, model and variants, its units, and marks under-tile shapes") {
    const auto [sim, theory] = kernbench::sample::results();
    const std::vector<Figure> figures = kernbench::milestone_1h_gemm_figures(sim, theory);
    const std::vector<std::string> drawings = kernbench::draw_svg(figures);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      auto texts = kernbench::sample::texts_of(drawings.at(i));
      CHECK(texts["bench milestone-1h-gemm (version 0) · machine invented-for-tests (sha256 01234567) · model 0 · "
                  "variants ref_ref, load_ref, load_load"] == 1);
      for (const char* label : {"32×64×32", "16×64×32 †", "32×32×32 †", "32×64×16 †", "128³", "256³", "512³",
                                "32×3072×32", "shape M×K×N"}) {
        CHECK_MESSAGE(texts[label] == 1, label);
      }
      const bool names_bars = figures[i].name == "time_by_cause";
      for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
        CHECK_MESSAGE(texts[variant] == (names_bars ? 8 : 1), variant);
      }
      CHECK(texts["† under-tile: a dimension is smaller than the machine's tile; the staging variants pad it"] == 1);
      CHECK_MESSAGE((texts["stage wall-clock ÷ PE window (%)"] == 3 ||
                     texts["share of the PE window (%)"] == (names_bars ? 1 : 3) ||
                     texts["time of the PE window (ns, log scale)"] == 1),
                    "a unit on the axis");
    }
  }

  TEST_CASE("11.5 text is 12 px high or more, and a figure is no wider than a page of text shows it") {
    const auto [sim, theory] = kernbench::sample::results();
    for (const std::string& svg : kernbench::draw_svg(kernbench::milestone_1h_gemm_figures(sim, theory))) {
      const std::string key = "font-size=\"";
      int sizes = 0;
      for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1)) {
        CHECK(std::stod(svg.substr(at + key.size())) >= 12);
        ++sizes;
      }
      CHECK(sizes > 40);
      CHECK(std::stod(svg.substr(svg.find(" width=\"") + 8)) <= 900);
    }
  }
}
