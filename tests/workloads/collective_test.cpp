// Ranks, metrics and derived rows of collectives, from results made by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "benches/workloads/collective/row_from_collective.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

CollectiveCase all_reduce(Bytes bytes) {
  return {.collective = Collective::kAllReduce, .algorithm = "ring", .bytes = bytes};
}

/// A run of `time` in which the first links are busy for so long.
CollectiveResult run_of(const MachinePart& part, Picoseconds time, const std::vector<std::int64_t>& busy_ps) {
  CollectiveResult run;
  run.time = time;
  run.launch = {12'500};
  const NetworkPlan plan = plan_network(part.machine);
  std::size_t used = 0;
  for (const NetworkLink& link : plan.links) {
    LinkUse use{link.name, {}};
    if (link.dimension != kEndpointLink && used < busy_ps.size()) use.totals.busy = {busy_ps[used++]};
    if (link.dimension == kEndpointLink) use.totals.busy = time;  // does not count
    run.links.push_back(use);
  }
  return run;
}

CollectiveSchedule of_ranks(std::size_t ranks, const std::vector<std::string>& phases = {"all"}) {
  CollectiveSchedule schedule;
  schedule.ranks.resize(ranks);
  schedule.phases = phases;
  return schedule;
}

std::string shape(const GridShape& grid) { return std::to_string(grid.rows) + "x" + std::to_string(grid.columns); }

/// "packages dies pes of the grid | packages dies of the machine"
std::string part_text(std::int64_t ranks, const std::vector<std::string>& overrides = {}) {
  const MachinePart part = first_pes(milestone(overrides), ranks);
  const auto spec = [](const GridSpec& grid) { return std::to_string(grid.rows) + "x" + std::to_string(grid.columns); };
  return shape(part.grid.packages) + " " + shape(part.grid.dies) + " " + shape(part.grid.pes) + " | " +
         spec(part.machine.system.packages) + " " + spec(part.machine.package.dies);
}

/// Ranks by what they are: "packages dies pes of the grid, PEs of a rank | packages dies of the machine"
std::string ranks_text(std::int64_t ranks, RanksPer per, const std::vector<std::string>& overrides = {}) {
  const MachinePart part = first_ranks(milestone(overrides), ranks, per);
  const auto spec = [](const GridSpec& grid) { return std::to_string(grid.rows) + "x" + std::to_string(grid.columns); };
  return shape(part.grid.packages) + " " + shape(part.grid.dies) + " " + shape(part.grid.pes) + ", " +
         std::to_string(part.pes_of_rank) + " | " + spec(part.machine.system.packages) + " " +
         spec(part.machine.package.dies);
}

Row timed(const std::string& algorithm, Bytes bytes, double time_ns) {
  Row row;
  row.point = {{"collective", "all_reduce"}, {"algorithm", algorithm}, {"scale", "die"}, {"bytes", bytes}};
  row.metrics.json()["time_ns"] = time_ns;
  return row;
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.1 the first n PEs, and no die or package that has none of them") {
    const std::vector<std::string> six{"system.packages.rows=2", "system.packages.columns=3",
                                       "system.arrangement=torus"};
    CHECK(part_text(1) == "1x1 1x1 1x1 | 1x1 1x1");
    CHECK(part_text(4) == "1x1 1x1 1x4 | 1x1 1x1");
    CHECK(part_text(5) == "1x1 1x1 1x5 | 1x1 1x1");
    CHECK(part_text(8) == "1x1 1x1 2x4 | 1x1 1x1");
    CHECK(part_text(9) == "1x1 1x1 1x9 | 1x1 4x4");
    CHECK(part_text(16) == "1x1 1x2 2x4 | 1x1 1x2");
    CHECK(part_text(64) == "1x1 2x4 2x4 | 1x1 2x4");
    CHECK(part_text(40) == "1x1 1x1 1x40 | 1x1 4x4");
    CHECK(part_text(128) == "1x1 4x4 2x4 | 1x1 4x4");
    CHECK(part_text(129) == "1x1 1x1 1x129 | 1x2 4x4");
    CHECK(part_text(256, six) == "1x2 4x4 2x4 | 1x2 4x4");
    CHECK(part_text(512, six) == "1x1 1x1 1x512 | 2x3 4x4");
    CHECK(part_text(768, six) == "2x3 4x4 2x4 | 2x3 4x4");
    for (const std::int64_t wrong : {-1, 0, 257}) {
      CHECK_THROWS_WITH_AS(static_cast<void>(first_pes(milestone(), wrong)),
                           doctest::Contains("expected 1 to 256 ranks"), ConfigError);
    }
  }

  TEST_CASE("20.15 ranks are the first dies or packages, in a grid of one PE a die or one die a package") {
    const std::vector<std::string> six{"system.packages.rows=2", "system.packages.columns=3",
                                       "system.arrangement=torus"};
    CHECK(ranks_text(5, RanksPer::kPe) == "1x1 1x1 1x5, 1 | 1x1 1x1");
    CHECK(ranks_text(1, RanksPer::kDie) == "1x1 1x1 1x1, 8 | 1x1 1x1");
    CHECK(ranks_text(4, RanksPer::kDie) == "1x1 1x4 1x1, 8 | 1x1 1x4");
    CHECK(ranks_text(5, RanksPer::kDie) == "1x1 1x1 1x5, 8 | 1x1 4x4");
    CHECK(ranks_text(8, RanksPer::kDie) == "1x1 2x4 1x1, 8 | 1x1 2x4");
    CHECK(ranks_text(32, RanksPer::kDie) == "1x2 4x4 1x1, 8 | 1x2 4x4");
    CHECK(ranks_text(1, RanksPer::kPackage, six) == "1x1 1x1 1x1, 128 | 1x1 4x4");
    CHECK(ranks_text(2, RanksPer::kPackage, six) == "1x2 1x1 1x1, 128 | 1x2 4x4");
    CHECK(ranks_text(4, RanksPer::kPackage, six) == "1x1 1x1 1x4, 128 | 2x3 4x4");
    CHECK(ranks_text(6, RanksPer::kPackage, six) == "2x3 1x1 1x1, 128 | 2x3 4x4");
    const auto of_scale = [](const char* scale, RanksPer per) {
      return part_by_scale(milestone(), scale, per)->grid.size();
    };
    CHECK(of_scale("die", RanksPer::kDie) == 1);
    CHECK(of_scale("package", RanksPer::kDie) == 16);
    CHECK(of_scale("package", RanksPer::kPackage) == 1);
    CHECK(of_scale("system", RanksPer::kPackage) == 2);
    CHECK_THROWS_WITH_AS(static_cast<void>(part_by_scale(milestone(), "die", RanksPer::kPackage)),
                         doctest::Contains("expected scale package or system, got die"), ConfigError);
    for (const std::int64_t wrong : {-1, 0, 33}) {
      CHECK_THROWS_WITH_AS(static_cast<void>(first_ranks(milestone(), wrong, RanksPer::kDie)),
                           doctest::Contains("expected 1 to 32 ranks, as machine milestone-1h has so many dies"),
                           ConfigError);
    }
  }

  TEST_CASE("20.15 the bound of ranks of several PEs: all their ports, cuts of whole ranks, the farthest of a rail") {
    const auto bound = [](std::int64_t ranks, RanksPer per, Bytes bytes,
                          const std::vector<std::string>& overrides = {}) {
      return bound_of(all_reduce(bytes), first_ranks(milestone(overrides), ranks, per));
    };
    // Two dies side by side. All 8 PEs send: 1 MiB at 8 x 16 GB/s.
    const std::vector<std::string> slow{"pe.tcm.read_bandwidth=16 GB/s"};
    CHECK(bound(2, RanksPer::kDie, 1 << 20, slow).time == Picoseconds{8'192'000});
    CHECK(bound(2, RanksPer::kDie, 1 << 20, slow).resource == "injection");
    // Each die has 4 connections of 128 GB/s eastwards, and 4 southwards to the package's switch, which both lead out.
    CHECK(bound(2, RanksPer::kDie, 1 << 20).time == Picoseconds{1'024'000});
    CHECK(bound(2, RanksPer::kDie, 1 << 20).resource == "package0.die0 out");
    // 1 MiB over a package's link of 512 GB/s.
    CHECK(bound(2, RanksPer::kPackage, 1 << 20).time == Picoseconds{2'048'000});
    CHECK(bound(2, RanksPer::kPackage, 1 << 20).resource == "package0 out");
    // PE i of a die to PE i of the die beside it: 4 columns of routers further. One element is in rail 0 alone, and
    // in a reduce_scatter only the first rank has a block of it.
    const MachinePart two = first_ranks(milestone(), 2, RanksPer::kDie);
    const Picoseconds latency = bound_of(all_reduce(2), two).time;
    CHECK(bound_of(all_reduce(2), two).resource == "latency");
    const NetworkPlan plan = plan_network(two.machine);
    CHECK(latency == zero_load_latency(plan, plan.find(NodeKind::kPe, {0, 0, 0}), plan.find(NodeKind::kPe, {0, 1, 0})));
    CHECK(bound(1, RanksPer::kPackage, 1 << 20).time == Picoseconds{0});
    // With an element in every rail it is the farthest of all pairs at one place, as all pairs tell.
    for (const RanksPer per : {RanksPer::kDie, RanksPer::kPackage}) {
      const MachinePart all = *part_by_scale(milestone({"package.dies.rows=2"}), "system", per);
      const NetworkPlan whole = plan_network(all.machine);
      std::vector<std::int32_t> pes;
      for (std::int32_t node = 0; node < static_cast<std::int32_t>(whole.nodes.size()); ++node) {
        if (whole.node(node).kind == NodeKind::kPe) pes.push_back(node);
      }
      REQUIRE(pes.size() == static_cast<std::size_t>(all.pes()));
      const auto step = static_cast<std::size_t>(all.pes_of_rank);
      Picoseconds most{};
      for (std::size_t from = 0; from < pes.size(); ++from) {
        for (std::size_t to = from % step; to < pes.size(); to += step) {
          if (from != to) most = std::max(most, zero_load_latency(whole, pes[from], pes[to]));
        }
      }
      const CollectiveBound few = bound_of(all_reduce(2 * all.pes_of_rank), all);
      CHECK(few.resource == "latency");
      CHECK(few.time == most);
    }
    // Nothing farther than PEs at the same place: less than between the farthest PEs.
    CHECK(bound(16, RanksPer::kDie, 16).time < bound(128, RanksPer::kPe, 256).time);
  }

  TEST_CASE("20.15 bandwidths are those of the ranks, and of one size") {
    const MachinePart part = first_ranks(milestone(), 2, RanksPer::kPackage);
    const Row row = row_from_collective(run_of(part, {4'000'000}, {}), of_ranks(2), all_reduce(1 << 20), part);
    CHECK(row.metrics.json()["ranks"] == 2);
    CHECK(row.metrics.json()["algbw_gbs"].get<double>() == doctest::Approx(262.144));
    CHECK(row.metrics.json()["busbw_gbs"].get<double>() == doctest::Approx(262.144));  // 2 (n - 1) / n = 1
    CHECK(row.metrics.json()["bound_ns"] == 2048.0);
    CHECK(row_from_collective_bound(all_reduce(1 << 20), part).metrics.json()["ranks"] == 2);
  }

  TEST_CASE("20.2 what passes data on does so slot by slot") {
    const MachineSpec machine = milestone({"pe.message_queue.slot_bytes=2 KiB"});
    CollectiveCase asked = all_reduce(1024);
    for (const char* name : {"binary_tree", "double_binary_tree", "hierarchical"}) {
      asked.algorithm = name;
      CHECK(usual_chunk(asked, machine) == 2048);
    }
    for (const char* name : {"ring", "direct", "halving_doubling"}) {
      asked.algorithm = name;
      asked.collective = Collective::kAllReduce;
      CHECK(usual_chunk(asked, machine) == 0);
      asked.collective = Collective::kBroadcast;
      CHECK(usual_chunk(asked, machine) == 2048);
    }
  }

  TEST_CASE("20.3 times, bandwidths and bytes") {
    const MachinePart part = first_pes(milestone(), 8);
    CollectiveResult run = run_of(part, {10'000'000}, {});
    run.sent = 77;
    run.link_bytes = 99;
    run.steps = 14;
    run.in_hbm = true;
    const Row row = row_from_collective(run, of_ranks(8), all_reduce(1 << 20), part);
    CHECK(row.metrics.json()["time_ns"] == 10'000.0);
    CHECK(row.metrics.json()["launch_ns"] == 12.5);
    CHECK(row.metrics.json()["ranks"] == 8);
    CHECK(row.metrics.json()["algbw_gbs"].get<double>() == doctest::Approx(104.8576));
    CHECK(row.metrics.json()["busbw_gbs"].get<double>() == doctest::Approx(104.8576 * 14 / 8));
    CHECK(row.metrics.json()["sent_bytes"] == 77);
    CHECK(row.metrics.json()["link_bytes"] == 99);
    CHECK(row.metrics.json()["steps"] == 14);
    CHECK(row.metrics.json()["in_hbm"] == true);
  }

  TEST_CASE("20.4 utilisation is over the links between routers, and the busiest is the first of the largest") {
    const MachinePart part = first_pes(milestone(), 8);
    const CollectiveResult run = run_of(part, {1000}, {100, 400, 400});
    std::vector<std::string> between;
    const NetworkPlan plan = plan_network(part.machine);
    for (const NetworkLink& link : plan.links) {
      if (link.dimension != kEndpointLink) between.push_back(link.name);
    }
    const Row row = row_from_collective(run, of_ranks(8), all_reduce(16), part);
    CHECK(row.metrics.json()["link_util_max"] == 0.4);
    CHECK(row.metrics.json()["busiest_link"] == between[1]);
    CHECK(row.metrics.json()["link_util_mean"].get<double>() ==
          doctest::Approx(0.9 / static_cast<double>(between.size())));
    // A die's mesh of 2 x 4 has 10 pairs of neighbours; its south side has 4 connections to the switch.
    CHECK(between.size() == 2 * (10 + 4));
  }

  TEST_CASE("20.5 the bound is that of ports, dies, packages and the farthest pair") {
    const auto bound = [](std::int64_t ranks, Bytes bytes, const std::vector<std::string>& overrides = {}) {
      return bound_of(all_reduce(bytes), first_pes(milestone(overrides), ranks));
    };
    // Corner to corner of 2 x 4 routers: 5 hops of 2 ns, 2 wires of 1 mm and 4 of 4 mm at 0.01 ns/mm.
    CHECK(bound(8, 16).time == Picoseconds{10'180});
    CHECK(bound(8, 16).resource == "latency");
    CHECK(bound(8, 1 << 20).time == Picoseconds{7'168'000});  // 2 x 7/8 of 1 MiB at 256 GB/s
    CHECK(bound(8, 1 << 20).resource == "injection");
    CHECK(bound(8, 1 << 20, {"pe.tcm.write_bandwidth=128 GB/s"}).time == Picoseconds{14'336'000});
    CHECK(bound(8, 1 << 20, {"pe.tcm.write_bandwidth=128 GB/s"}).resource == "ejection");
    const CollectiveBound thin = bound(128, 1 << 20, {"package.die_to_die.bandwidth=8 GB/s"});
    CHECK(thin.resource.find("die") != std::string::npos);
    const CollectiveBound apart = bound(256, 1 << 20, {"system.package_link.bandwidth=10 GB/s"});
    CHECK(apart.resource.find("package") != std::string::npos);
    CHECK(apart.time >= Bandwidth{10'000'000'000}.time_for(1 << 20));
    CHECK_THROWS_WITH_AS(static_cast<void>(bound(8, 3)), doctest::Contains("expected a multiple of an element's 2 B"),
                         ConfigError);
  }

  TEST_CASE("20.6 a collective that takes no time has no bandwidth and is at its bound") {
    const MachinePart part = first_pes(milestone(), 1);
    const Row row = row_from_collective(run_of(part, {0}, {}), of_ranks(1), all_reduce(1024), part);
    for (const char* name : {"time_ns", "algbw_gbs", "busbw_gbs", "link_util_mean", "link_util_max", "bound_ns"}) {
      CHECK(row.metrics.json()[name] == 0);
    }
    CHECK(row.metrics.json()["bound_fraction"] == 1);
    CHECK(row.metrics.json()["busiest_link"] == "");
    CHECK_NOTHROW(row_to_json(row));
    CHECK(row_from_collective_bound(all_reduce(0), first_pes(milestone(), 8)).metrics.json()["time_ns"] == 0);
  }

  TEST_CASE("20.7 the ends of phases are windows, where there are several") {
    const MachinePart part = first_pes(milestone(), 8);
    CollectiveResult run = run_of(part, {9000}, {});
    run.phase_ends = {{4000}, {9000}};
    const Row row =
        row_from_collective(run, of_ranks(8, {"die reduce-scatter", "die all-gather"}), all_reduce(16), part);
    CHECK(row.windows == Json{{"die_reduce_scatter_ns", 4.0}, {"die_all_gather_ns", 9.0}});
    run.phase_ends = {{9000}};
    CHECK(row_from_collective(run, of_ranks(8), all_reduce(16), part).windows.empty());
  }

  TEST_CASE("20.10 fits over sizes, and the fastest of several algorithms") {
    Results results;
    for (const Bytes bytes : {1000, 2000, 4000}) {
      results.rows.push_back(timed("a", bytes, 100 + 0.5 * static_cast<double>(bytes)));
      results.rows.push_back(timed("b", bytes, 1500));
    }
    results.rows.push_back(timed("c", 1000, 1));
    results.rows.back().status = "failed";
    results.rows.push_back(timed("d", 2000, 0));  // nothing was moved
    const std::vector<Row> derived = derive_collectives(results);
    REQUIRE(derived.size() == 5);
    CHECK(derived[0].point ==
          Json{{"collective", "all_reduce"}, {"algorithm", "a"}, {"scale", "die"}, {"derived", "fit"}, {"segment", 0}});
    CHECK(derived[0].metrics.json()["alpha_ns"].get<double>() == doctest::Approx(100));
    CHECK(derived[0].metrics.json()["beta_ns_per_byte"].get<double>() == doctest::Approx(0.5));
    CHECK(derived[0].metrics.json()["from_bytes"] == 1000);
    CHECK(derived[0].metrics.json()["to_bytes"] == 4000);
    CHECK(derived[0].metrics.json()["residual_max"].get<double>() < 1e-9);
    CHECK(derived[1].point["algorithm"] == "b");
    CHECK(derived[2].point ==
          Json{{"collective", "all_reduce"}, {"scale", "die"}, {"bytes", 1000}, {"derived", "best"}});
    CHECK(derived[2].metrics.json() ==
          Json{{"algorithm", "a"}, {"time_ns", 600.0}, {"next", "b"}, {"next_time_ns", 1500.0}, {"tie", false}});
    CHECK(derived[4].metrics.json()["algorithm"] == "b");
    CHECK(derived[4].metrics.json()["next"] == "a");
  }

  TEST_CASE("20.10 an algorithm with another root die competes with the others, not with itself") {
    Results results;
    for (const char* root : {"centre", "corner"}) {
      results.rows.push_back(timed("hierarchical", 1000, std::string(root) == "centre" ? 5 : 6));
      results.rows.back().point["root_die"] = root;
    }
    CHECK(derive_collectives(results).empty());
    results.rows.push_back(timed("ring", 1000, 9));
    const std::vector<Row> derived = derive_collectives(results);
    REQUIRE(derived.size() == 1);
    CHECK(
        derived[0].metrics.json() ==
        Json{{"algorithm", "hierarchical"}, {"time_ns", 5.0}, {"next", "ring"}, {"next_time_ns", 9.0}, {"tie", false}});
  }

  TEST_CASE("20.10 two algorithms within 1 % of each other are a tie") {
    const auto tie = [](double first, double second) {
      Results results;
      results.rows = {timed("a", 1000, first), timed("b", 1000, second)};
      return derive_collectives(results).at(0).metrics.json();
    };
    CHECK(tie(100, 101).at("tie") == true);
    CHECK(tie(100, 101.001).at("tie") == false);
    CHECK(tie(101, 100).at("tie") == true);
    CHECK(tie(101, 100).at("algorithm") == "b");
    CHECK(tie(100, 100).at("algorithm") == "a");  // of equal ones the first
    CHECK(tie(100, 100).at("next") == "b");
  }

  TEST_CASE("20.11 the map of a mesh has each pair of neighbours once in each direction") {
    const MachinePart part = first_pes(milestone(), 16);  // two dies: 2 x 8 routers
    CollectiveResult run = run_of(part, {1000}, {});
    const NetworkPlan plan = plan_network(part.machine);
    const std::string crossing = "package0.die0.router3 -> package0.die1.router0";
    std::int64_t found = 0;
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      if (plan.node(plan.links[i].from).name != "package0.die0.router3") continue;
      if (plan.node(plan.links[i].to).name != "package0.die1.router0") continue;
      run.links[i].totals.busy = {400};
      ++found;
    }
    REQUIRE(found == 1);
    const std::vector<LinkRow> links = mesh_links(run, part);
    CHECK(links.size() == 2 * (2 * 7 + 8));
    std::size_t busy = 0;
    for (const LinkRow& link : links) {
      if (link.utilisation == 0) continue;
      ++busy;
      CHECK(link.name.rfind(crossing, 0) == 0);
      CHECK(link.utilisation == 0.4);
      CHECK(link.wires == 2);
      CHECK(link.from_x == 3);
      CHECK(link.to_x == 4);
      CHECK(link.from_y == 0);
      CHECK(link.to_y == 0);
    }
    CHECK(busy == 1);
  }
}
