// The heat map of two keys.
#include "benches/experiments/whatif/heat_map.hpp"

#include <doctest/doctest.h>

#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/toy_bench.hpp"

using namespace kernbench;

namespace {

/// A sweep of the toy bench, with a row for each point of it but those that `leave_out` names.
struct Swept {
  Bench bench;
  Results results;
};

Swept swept_over(const std::vector<std::string>& sweeps, const std::function<bool(const Point&)>& leave_out = {}) {
  Swept made{swept(toy_bench(), key_axes("--sweep", sweeps, {}, milestone())), {}};
  for (const LabelledPoint& point : expand_points(made.bench)) {
    if (leave_out && leave_out(point.point)) continue;
    Row row = made.bench.simulate(milestone(), point.point, {});
    row.point = point.point;
    made.results.rows.push_back(row);
  }
  return made;
}

Json cells_of(const Figure& figure) { return figure.spec.at("data").at("values"); }

std::string notes_of(const Figure& figure) { return figure.spec.at("title").at("subtitle").dump(); }

/// A map of 3 x 2 values with these cells.
std::optional<Figure> map_of(const std::vector<HeatCell>& cells, bool maximise = false) {
  const std::vector<Axis> axes = key_axes("--sweep", {"pe.stream_depth=1,2,3", "pe.output_depth=1,2"}, {}, milestone());
  return heat_map_figure(
      {.x = axes[0], .y = axes[1], .metric = "time (ns)", .maximise = maximise, .cells = cells, .gap = "A gap."}, {});
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.12 a cell has the number of its row, and says which row that is") {
    const Swept made = swept_over({"die.hbm.bandwidth=100,200,400 GB/s", "pe.stream_depth=1,2"});
    const std::optional<Figure> figure = sweep_heat_map(made.bench, made.results);
    REQUIRE(figure);
    CHECK(figure->spec.at("facet").at("sort") == Json{"1, fast", "1, slow", "2, fast", "2, slow"});
    const Json cells = cells_of(*figure);
    CHECK(cells.size() == made.results.rows.size());
    for (const Json& cell : cells) {
      const Row& row = made.results.rows.at(cell.at("row"));
      CHECK(cell.at("value") == row.metrics.json().at("time_ns"));
      CHECK(cell.at("x") == row.point.at("die.hbm.bandwidth"));
      CHECK(cell.at("y") == row.point.at("pe.stream_depth"));
      // As fast with 1 and 2: the first is framed.
      CHECK(cell.at("best") == (cell.at("x") == "400 GB/s" && cell.at("y") == "1"));
    }
    const Json& encoding = figure->spec.at("spec").at("encoding");
    CHECK(encoding.at("x").at("scale").at("domain") == Json{"100 GB/s", "200 GB/s", "400 GB/s"});
    CHECK(encoding.at("y").at("scale").at("domain") == Json{"2", "1"});
    CHECK(figure->spec.at("spec").at("width").is_number());  // a step a cell: nothing stretches it
  }

  TEST_CASE("35.12 of more keys than two a cell has the best of the others, and says so") {
    const Swept made =
        swept_over({"pe.stream_depth=1,2", "pe.output_depth=1,2", "die.hbm.bandwidth=100,400,200 GB/s"},
                   [](const Point& point) { return point.at("size") != 1 || point.at("way") != "fast"; });
    const std::optional<Figure> figure = sweep_heat_map(made.bench, made.results);
    REQUIRE(figure);
    CHECK_FALSE(figure->spec.contains("facet"));
    CHECK(cells_of(*figure).size() == 4);
    for (const Json& cell : cells_of(*figure)) {
      CHECK(cell.at("value") == 1.0 / 400);
      CHECK(cell.at("others") == "die.hbm.bandwidth 400 GB/s");
      CHECK(made.results.rows.at(cell.at("row")).point.at("die.hbm.bandwidth") == "400 GB/s");
    }
    CHECK(notes_of(*figure).find("Each cell has the best over die.hbm.bandwidth.") != std::string::npos);
  }

  TEST_CASE("35.12 what is not there is a gap, and where less than a third is there is no map") {
    const HeatCell a{.x = 0, .y = 0, .value = 4};
    const HeatCell b{.x = 2, .y = 1, .value = 5};
    CHECK_FALSE(map_of({a}));
    CHECK_FALSE(map_of({a, a}));
    CHECK_FALSE(map_of({}));
    const std::optional<Figure> figure = map_of({a, b});
    REQUIRE(figure);
    CHECK(cells_of(*figure).size() == 2);
    CHECK(figure->spec.at("encoding").at("x").at("scale").at("domain").size() == 3);
    const Swept one = swept_over({"pe.stream_depth=1,2"});
    CHECK_FALSE(sweep_heat_map(one.bench, one.results));
    const Swept fixed = swept_over({"pe.stream_depth=1,2", "pe.output_depth=4"});
    CHECK_FALSE(sweep_heat_map(fixed.bench, fixed.results));
  }

  TEST_CASE("35.12 the most is best where it is maximised; colours are logarithmic from three times on") {
    const auto scale = [](double most) {
      const std::optional<Figure> figure = map_of({{.x = 0, .value = 1}, {.x = 1, .value = most}});
      return figure->spec.at("layer").at(0).at("encoding").at("color").at("scale").at("type").get<std::string>();
    };
    CHECK(scale(3) == "linear");
    CHECK(scale(3.1) == "log");
    for (const bool maximise : {false, true}) {
      const Json cells =
          cells_of(*map_of({{.x = 0, .value = 1}, {.x = 0, .value = 3}, {.x = 1, .value = 2}}, maximise));
      REQUIRE(cells.size() == 2);
      CHECK(cells.at(0).at("value") == (maximise ? 3.0 : 1.0));
      CHECK(cells.at(0).at("best") == true);
      CHECK(cells.at(1).at("best") == false);
    }
  }

  TEST_CASE("35.12 of many points of the bench the first six have a map") {
    Bench bench = toy_bench();
    bench.axes[0].values = {1, 2, 3, 4};
    const Bench sweep =
        swept(bench, key_axes("--sweep", {"pe.stream_depth=1,2", "pe.output_depth=1,2"}, {}, milestone()));
    Results results;
    for (const LabelledPoint& point : expand_points(sweep)) {
      results.rows.push_back(sweep.simulate(milestone(), point.point, {}));
      results.rows.back().point = point.point;
    }
    const std::optional<Figure> figure = sweep_heat_map(sweep, results);
    REQUIRE(figure);
    CHECK(figure->spec.at("facet").at("sort").size() == 6);
    CHECK(cells_of(*figure).size() == 24);
    CHECK(notes_of(*figure).find("after the first six are in the table alone") != std::string::npos);
  }
}
