#include "sim/system/noc/pe_traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sim/plan/network/link_loads.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/system/noc/traffic_launch.hpp"

namespace kernbench {
namespace {

/// Row and column of a PE in the mesh of all packages.
std::pair<std::int64_t, std::int64_t> cell_of(const MachineSpec& machine, std::int64_t pe) {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t left = machine.system.packages.count() * machine.package.dies.count() * machine.die.routers.count();
  for (const GridSpec& grid : {machine.system.packages, machine.package.dies, machine.die.routers}) {
    left /= grid.count();
    const std::int64_t at = pe / left;
    pe %= left;
    row = row * grid.rows + at / grid.columns;
    column = column * grid.columns + at % grid.columns;
  }
  return {row, column};
}

MeasuredLoad load_of(const PeTraffic& traffic, double channel_load) {
  return {.pattern = traffic.pattern,
          .per_cycle = traffic.per_cycle(),
          .cycle = kCreationCycle.value,
          .flits = static_cast<int>(traffic.packets()),
          .channel_load = channel_load,
          .seed = traffic.seed,
          .begin = traffic.warm_up.value,
          .end = (traffic.warm_up + traffic.measure).value};
}

std::int32_t node_of(const NetworkPlan& plan, const PeTraffic& traffic, std::int32_t node) {
  return plan.find(NodeKind::kPe, plan.location_of(traffic.pes[static_cast<std::size_t>(node)]));
}

/// By link: how much goes over it where each node creates 1 (17.33).
std::vector<double> link_shares(const NetworkPlan& plan, const PeTraffic& traffic) {
  const TrafficSpec& pattern = traffic.pattern;
  std::vector<double> shares(plan.links.size());
  const auto add = [&](double share, const std::vector<std::int32_t>& destinations, bool fixed) {
    LinkLoads loads(plan);
    for (std::int32_t from = 0; from < pattern.nodes(); ++from) {
      const std::int32_t source = node_of(plan, traffic, from);
      if (fixed) loads.add(source, node_of(plan, traffic, fixed_destination(pattern, from)), 1);
      for (const std::int32_t to : destinations) loads.add(source, node_of(plan, traffic, to), 1);
    }
    for (std::size_t link = 0; link < shares.size(); ++link) {
      shares[link] += share * static_cast<double>(loads.bytes()[link]);
    }
  };
  if (pattern.fixed()) {
    add(1, {}, true);
    return shares;
  }
  std::vector<std::int32_t> all(traffic.pes.size());
  std::iota(all.begin(), all.end(), 0);
  const double hot = pattern.hot_share();
  add((1 - hot) / pattern.nodes(), all, false);
  if (hot > 0) add(hot / static_cast<double>(pattern.hot_nodes.size()), pattern.hot_nodes, false);
  return shares;
}

/// Of a message that meets no other: the first packet, and one after the other the rest over the slowest link (17.34).
Picoseconds alone(const NetworkPlan& plan, const PeTraffic& traffic, std::int32_t source, std::int32_t destination) {
  const Picoseconds way = zero_load_latency(plan, source, destination);
  return way + traffic.packets() * (zero_load_latency(plan, source, destination, traffic.packet()) - way);
}

}  // namespace

PeMesh mesh_of(const MachineSpec& machine, const std::vector<std::int32_t>& pes) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> at;
  for (const std::int32_t pe : pes) at[cell_of(machine, pe)] = pe;
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (const auto& [cell, pe] : at) {
    rows.insert(cell.first);
    columns.insert(cell.second);
  }
  const auto across = [](const std::set<std::int64_t>& all) {
    return static_cast<int>(*all.rbegin() - *all.begin() + 1);
  };
  PeMesh mesh{across(rows), across(columns), {}};
  if (std::int64_t{mesh.rows} * mesh.columns != std::ssize(pes)) return {1, static_cast<int>(pes.size()), pes};
  for (const auto& [cell, pe] : at) mesh.pes.push_back(pe);
  return mesh;
}

double PeTraffic::per_cycle() const {
  constexpr std::int64_t kCyclesPerSecond = kPicosecondsPerSecond / kCreationCycle.value;
  return static_cast<double>(rate.bytes_per_second) /
         (static_cast<double>(kCyclesPerSecond) * static_cast<double>(message));
}

TrafficExpectation expect_traffic(const NetworkPlan& plan, const PeTraffic& traffic) {
  TrafficExpectation expected;
  const std::vector<double> shares = link_shares(plan, traffic);
  for (std::int32_t link = 0; link < std::ssize(shares); ++link) {
    const double share = shares[static_cast<std::size_t>(link)];
    if (share == 0) continue;
    const double full_at = static_cast<double>(plan.link(link).bandwidth.bytes_per_second) / share;
    if (expected.saturates_at > 0 && full_at >= expected.saturates_at) continue;
    expected.saturates_at = full_at;
    expected.most_loaded = link;
  }
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> messages;
  visit_measured(load_of(traffic, 0), [&](std::int32_t from, std::int32_t to) { ++messages[{from, to}]; });
  double hops = 0;
  Picoseconds sum;
  for (const auto& [pair, count] : messages) {
    const std::int32_t source = node_of(plan, traffic, pair.first);
    const std::int32_t destination = node_of(plan, traffic, pair.second);
    expected.messages += count;
    sum += count * alone(plan, traffic, source, destination);
    hops += static_cast<double>(count) * static_cast<double>(link_path(plan, source, destination).size() - 1);
  }
  if (expected.messages == 0) return expected;
  const auto all = static_cast<double>(expected.messages);
  expected.zero_load = static_cast<double>(sum.value) / all;
  expected.hops = hops / all;
  return expected;
}

PeTrafficRun run_pe_traffic(const PeTraffic& traffic, const TrafficExpectation& expected, const RunSettings& settings) {
  System system(traffic.machine);
  const MeasuredLoad load = load_of(traffic, expected.load_at(traffic.rate));
  MeasuredTraffic measured(load);
  TrafficLaunch launch(measured, {.tick = Picoseconds{1},
                                  .packet = traffic.packet(),
                                  .packets = traffic.packets(),
                                  .pes = traffic.pes,
                                  .owed_before = load.end});
  run_launches(system, {&launch}, settings.limit);
  PeTrafficRun run{.measured = measured.result(), .end = launch.end(), .activity = system.activity()};
  const std::vector<LinkTotals> totals = system.network().totals();
  const auto busiest = std::ranges::max_element(totals, {}, &LinkTotals::busy);
  run.busiest_link = system.plan().link(static_cast<std::int32_t>(busiest - totals.begin())).name;
  run.busiest = static_cast<double>(busiest->busy.value) / static_cast<double>(run.end.value);
  return run;
}

}  // namespace kernbench
