// The points of the collectives bench, and its figures held against invented results of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/points.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/workloads/bench.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "tests/support/milestone.hpp"

namespace {

using namespace kernbench;

const Bench& bench() { return find_bench("milestone-1h-ccl"); }

Row invented(const Point& point, std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(10, 1e6);
  Row row;
  row.point = point;
  for (const char* name : {"time_ns", "busbw_gbs", "link_util_max", "bound_fraction"})
    row.metrics.json()[name] = number(random);
  row.metrics.json()["ranks"] = random() % 768 + 1;
  row.metrics.json()["busiest_link"] = "a -> b";
  row.metrics.json()["bound"] = "injection";
  if (point.at("algorithm") == "hierarchical" && point.at("scale") == "system") {
    double end = 0;
    for (const char* phase : {"die_reduce_scatter_ns", "row_reduce_ns", "package_exchange_ns"}) {
      row.windows[phase] = end += number(random);
    }
  }
  return row;
}

/// Simulated and closed-form rows of every point; two of the simulated ones carry links.
std::pair<Results, Results> invented_results() {
  std::mt19937_64 random(20);
  Results sim;
  sim.bench = "milestone-1h-ccl";
  sim.source = {"sim", "invented-for-tests", "0123456789abcdef", "0", "0"};
  Results theory = sim;
  theory.source.kind = "theory";
  for (const LabelledPoint& point : expand_points(bench())) {
    sim.rows.push_back(invented(point.point, random));
    theory.rows.push_back(invented(point.point, random));
    if (point.point.at("scale") != "package" || point.point.at("bytes") != 16) continue;
    sim.rows.back().links = {{"p.d0.r0 -> p.d0.r1", 0, 0, 1, 0, 1, 0.25}, {"p.d0.r1 -> p.d0.r0", 1, 0, 0, 0, 2, 0.5}};
  }
  for (Row& row : derive_collectives(sim)) sim.rows.push_back(std::move(row));
  return {std::move(sim), std::move(theory)};
}

/// The point's own fields, in an order of their own.
std::string key_of(const Json& record) {
  std::string key;
  for (const char* field :
       {"derived", "collective", "algorithm", "scale", "arrangement", "packages", "tier", "root_die", "pes", "bytes"}) {
    key += std::string(field) + "=" + (record.contains(field) ? record.at(field).dump() : "") + " ";
  }
  return key;
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE(
      "20.9 every collective is run by all algorithms that do it on a die but two_shot, all_reduce by all that scale") {
    std::map<std::string, std::set<std::string>> on_die;
    std::set<std::string> points;
    for (const LabelledPoint& point : expand_points(bench())) {
      CHECK(points.insert(point.point.dump()).second);
      const Json& fields = point.point;
      if (fields.at("scale") == "die" && !fields.contains("pes")) {
        on_die[fields.at("collective")].insert(fields.at("algorithm").get<std::string>());
      }
      CHECK_NOTHROW(static_cast<void>(part_of(milestone(), fields)));
    }
    for (const Collective collective : kCollectives.values()) {
      std::set<std::string> able;
      for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
        const bool wanted =
            algorithm.name != "two_shot" && (algorithm.name != "hierarchical" || collective == Collective::kAllReduce);
        if (algorithm.does(collective) && wanted) able.insert(algorithm.name);
      }
      const std::string name(kCollectives[collective]);
      CHECK_MESSAGE(on_die[name] == able, name);
    }
    CHECK(points.size() == 503);
  }

  TEST_CASE("20.14 the bench runs at full detail: nothing makes its packets coarser than a burst") {
    const MachineSpec machine = milestone();
    REQUIRE(machine.simulation.packet == machine.die.hbm.burst);
    for (const std::string& key : bench().machine_defaults) CHECK_FALSE(key.starts_with("simulation."));
    for (const LabelledPoint& point : expand_points(bench())) {
      CHECK(part_of(machine, point.point).machine.simulation.packet == machine.die.hbm.burst);
    }
  }

  TEST_CASE("20.9 a point says which PEs of the machine take part, and what the machine is changed to") {
    const MachineSpec machine = milestone({"die.routers.rows=1", "package.die_to_die.connections=8"});
    std::map<std::int64_t, int> sizes;
    for (const LabelledPoint& point : expand_points(bench())) {
      if (point.point.contains("pes")) continue;
      const MachinePart part = part_of(machine, point.point);
      ++sizes[part.grid.size()];
      if (point.point.value("packages", "") == "2x3") CHECK(part.grid.packages == GridShape{2, 3});
      const bool in_hbm = point.point.at("tier") == "hbm";
      CHECK((part.machine.pe.message_queue.tier == MemoryTier::kHbm) == in_hbm);
    }
    std::set<std::int64_t> counts;
    for (const auto& entry : sizes) counts.insert(entry.first);
    CHECK(counts == std::set<std::int64_t>{4, 64, 2 * 64, 3 * 64, 6 * 64});  // dies of 4 PEs
  }

  TEST_CASE("20.12 a run of some points has only figures that show some of them") {
    auto [sim, theory] = invented_results();
    CHECK(milestone_1h_ccl_figures(sim, theory).size() == 9);
    std::erase_if(sim.rows, [](const Row& row) { return row.point.value("algorithm", "") != "pairwise"; });
    const std::vector<Figure> figures = milestone_1h_ccl_figures(sim, theory);
    CHECK(figures.size() == 1);  // the other collectives on a die
    for (const Figure& figure : figures) CHECK_FALSE(figure.spec.at("data").at("values").empty());
    sim.rows.clear();
    CHECK(milestone_1h_ccl_figures(sim, theory).empty());
  }

  TEST_CASE("20.12 every point is in a figure, and a figure's values are those of its rows") {
    const auto [sim, theory] = invented_results();
    std::map<std::string, const Row*> rows;
    for (const Row& row : sim.rows) rows[key_of(row.point)] = &row;
    std::map<std::string, const Row*> bounds;
    for (const Row& row : theory.rows) bounds[key_of(row.point)] = &row;
    std::set<std::string> shown;
    for (const Figure& figure : milestone_1h_ccl_figures(sim, theory)) {
      CAPTURE(figure.name);
      for (const Json& record : figure.spec.at("data").at("values")) {
        if (record.contains("left")) continue;  // the frame of a die
        Json named = record;
        if (record.contains("derived")) named.erase("algorithm");  // there it is the metric
        const auto found = rows.find(key_of(named));
        REQUIRE(found != rows.end());
        const Row& row = *found->second;
        shown.insert(found->first);
        for (const char* metric : {"time_ns", "busbw_gbs", "link_util_max"}) {
          if (record.contains(metric)) CHECK(record.at(metric) == row.metrics.json().at(metric));
        }
        if (record.contains("bound_time_ns")) {
          CHECK(record.at("bound_time_ns") == bounds.at(found->first)->metrics.json().at("time_ns"));
          CHECK(record.at("bound_busbw_gbs") == bounds.at(found->first)->metrics.json().at("busbw_gbs"));
        }
        if (record.contains("next")) CHECK(record.at("next") == row.metrics.json().at("next"));
      }
    }
    for (const LabelledPoint& point : expand_points(bench())) {
      CHECK_MESSAGE(shown.count(key_of(point.point)) == 1, point.point.dump());
    }
  }

  TEST_CASE("20.11 the map of links shows every link that a row has, with its utilisation") {
    const auto [sim, theory] = invented_results();
    std::multiset<double> drawn;
    const Figure map = link_utilisation(sim);
    for (const Json& record : map.spec.at("data").at("values")) {
      if (record.contains("utilisation")) drawn.insert(record.at("utilisation").get<double>());
    }
    CHECK(drawn == std::multiset<double>{0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5});  // four algorithms
  }

  TEST_CASE("20.12 the figures are drawn without a warning, no wider than a page of text shows them") {
    auto [sim, theory] = invented_results();
    for (Row& row : sim.rows) {
      if (row.point.value("scale", "") != "package") continue;
      row.status = "failed";
      row.reason = "time-out";
      row.metrics.json() = Json::object();
      break;
    }
    const std::vector<std::string> drawings = draw_svg(milestone_1h_ccl_figures(sim, theory));
    CHECK(drawings.size() == 9);
    for (const std::string& svg : drawings) CHECK(std::stod(svg.substr(svg.find(" width=\"") + 8)) <= 900);
    CHECK(drawings[0].find("Missing, because it failed: all_reduce") != std::string::npos);
    CHECK_NOTHROW(static_cast<void>(format_csv(sim)));
  }
}
