// The figure of what the PE window went to: the ledger of each row, bars that fill the axis, and what limits the run.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/store.hpp"
#include "tests/figures/drawing.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

using namespace kernbench;

Results committed() { return read_results(sample::kSource + "/benches/milestone_1h_gemm/results/results.json"); }

/// "mac": of "MAC array".
std::string cause_called(const std::string& name) {
  return std::string(kCauses[std::ranges::find(cause_words(), name, &CauseWords::name)->cause]);
}

/// What a row has of the ledger.
std::map<std::string, Json> ledger_in(const Row& row) {
  std::map<std::string, Json> ledger;
  for (const auto& [name, value] : row.metrics.json().items()) {
    if (name.starts_with("ledger_")) ledger[name] = value;
  }
  return ledger;
}

/// What the figure has of it.
std::map<std::string, Json> ledger_shown(const Json& records, const Row& row) {
  std::map<std::string, Json> ledger;
  for (const Json& record : records) {
    const auto same = [&](const auto& axis) { return record.at(axis.first) == axis.second; };
    const auto& point = row.point.get_ref<const Json::object_t&>();
    if (!std::ranges::all_of(point, same) || !record.contains("cause")) continue;
    ledger["ledger_" + cause_called(record.at("cause")) + "_ns"] = record.at("ledger_ns");
  }
  return ledger;
}

struct Bar {
  std::string point;
  std::string cause;
  double begin = 0;
  double length = 0;
  double share = 0;
};

std::vector<Bar> bars_of(const std::string& svg) {
  std::vector<Bar> bars;
  const std::string open = "<path aria-label=\"share of the PE window";
  for (std::size_t at = svg.find(open); at != std::string::npos; at = svg.find(open, at + 1)) {
    const std::string text = svg.substr(at, svg.find('>', at) - at);
    const std::string path = text.substr(text.find(" d="));
    bars.push_back({sample::between(text, "shape M×K×N: ", "; cause"), sample::between(text, "cause: ", ";"),
                    std::stod(path.substr(path.find('M') + 1)), std::stod(path.substr(path.find('h') + 1)),
                    sample::number_after(text, "time (ns): ") / sample::number_after(text, "PE window (ns): ")});
  }
  return bars;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.18 the causes of a point are those of its row's ledger, and what limits it is the row's") {
    CHECK(rc::check([](std::uint64_t seed) {
      std::mt19937_64 random(seed);
      const auto [sim, theory] = sample::random_results(random);
      const Figure figure = time_by_cause(sim);
      const Json& records = sample::records(figure);
      for (const Row& row : sim.rows) RC_ASSERT(ledger_shown(records, row) == ledger_in(row));
      for (const Json& record : records) {
        if (record.at("status") != "ok") continue;
        const bool by_hbm = record.at("variant") != "load_load";
        RC_ASSERT(record.at("limited_by") == (by_hbm ? "HBM bandwidth" : "MAC array"));
      }
    }));
  }

  TEST_CASE("11.18 a bar's parts stand one after the other, each as long as its share, and fill the axis") {
    const Results sim = committed();
    const Figure figure = time_by_cause(sim);
    const double full = figure.spec.at("width");
    std::map<std::string, double> ends;
    std::map<std::string, std::size_t> ranks;
    for (const Bar& bar : bars_of(draw_svg({figure}).at(0))) {
      CHECK(bar.length == doctest::Approx(full * bar.share).epsilon(1e-4));
      CHECK(bar.begin == doctest::Approx(ends[bar.point]).epsilon(1e-6));
      const auto words = std::ranges::find(cause_words(), bar.cause, &CauseWords::name);
      const auto rank = static_cast<std::size_t>(words - cause_words().begin()) + 1;
      CHECK(rank > ranks[bar.point]);
      ends[bar.point] = bar.begin + bar.length;
      ranks[bar.point] = rank;
    }
    CHECK(ends.size() == sim.rows.size());
    for (const auto& [point, end] : ends) CHECK(end == doctest::Approx(full).epsilon(1e-6));
  }

  TEST_CASE("11.18 PE window and limit are printed beside each bar") {
    const Results sim = committed();
    std::map<std::string, int> expected;
    for (const Row& row : sim.rows) {
      ++expected[fmt::format("{} {:.1f}%", cause_name(row.metrics.json().at("limited_by").get<std::string>()),
                             100 * row.metrics.json().at("limited_by_share").get<double>())];
    }
    auto texts = sample::texts_of(draw_svg({time_by_cause(sim)}).at(0));
    for (const auto& one : expected) CHECK_MESSAGE(texts[one.first] == one.second, std::string(one.first));
    CHECK(texts["68.05 µs"] == 1);
    CHECK(texts["PE window"] == 1);
    CHECK(texts["limited by"] == 1);
  }

  TEST_CASE("11.18 the legend has the causes that there are, in the order of the bar, each in a colour of its own") {
    const auto [sim, theory] = sample::results();
    const Figure of_sample = time_by_cause(sim);
    const Json& scale = of_sample.spec.at("layer").at(0).at("layer").at(0).at("encoding").at("color").at("scale");
    CHECK(scale.at("domain") == Json{"MAC array", "HBM bandwidth", "DMA credits", "results on their way out"});
    Results all = sim;
    for (const CauseWords& words : cause_words()) all.rows[0].metrics.json()[ledger_metric(words.cause).name] = 1;
    const Figure of_all = time_by_cause(all);
    const Json& colours =
        of_all.spec.at("layer").at(0).at("layer").at(0).at("encoding").at("color").at("scale").at("range");
    CHECK(std::set<std::string>(colours.begin(), colours.end()).size() == cause_words().size());
  }

  TEST_CASE("11.18 a row without a ledger says so; where no row has one there is no such figure") {
    auto [sim, theory] = sample::results();
    const auto drop = [](Row& row) {
      for (const auto& [name, value] : ledger_in(row)) row.metrics.json().erase(name);
      row.metrics.json().erase("limited_by");
      row.metrics.json().erase("limited_by_share");
    };
    drop(sim.rows[4]);
    const std::vector<Figure> figures = milestone_1h_gemm_figures(sim, theory);
    REQUIRE(figures.at(0).name == "time_by_cause");
    CHECK(sample::texts_of(draw_svg({figures[0]}).at(0))["no ledger"] == 1);
    for (Row& row : sim.rows) drop(row);
    for (const Figure& figure : milestone_1h_gemm_figures(sim, theory)) CHECK(figure.name != "time_by_cause");
  }
}
