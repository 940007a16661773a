// Ratios are computed from integers here, once; figures and reports only read them.
#include "benches/workloads/collective/row_from_collective.hpp"

#include <algorithm>
#include <tuple>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/checked.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::int64_t> kChunkBytes{"chunk_bytes"};
constexpr Metric<std::int64_t> kLinkBytes{"link_bytes"};
constexpr Metric<std::int64_t> kSentBytes{"sent_bytes"};

/// part / whole; 0 where there is no whole, as then nothing happened.
double share(Picoseconds part, Picoseconds whole) {
  return whole.value == 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(whole.value);
}

double share(const WideSum& part, Picoseconds whole) {
  return whole.value == 0 ? 0 : part.as_double() / static_cast<double>(whole.value);
}

void add_bandwidth(Row& row, const CollectiveCase& asked, std::int32_t ranks, Picoseconds time) {
  const CollectiveBandwidth bandwidth =
      time.value == 0 ? CollectiveBandwidth{} : bandwidth_of(asked.collective, ranks, asked.bytes, time);
  row.metrics.set(kAlgbwGbs, bandwidth.algbw_gbs);
  row.metrics.set(kBusbwGbs, bandwidth.busbw_gbs);
}

void add_links(Row& row, const CollectiveResult& run, const NetworkPlan& plan) {
  WideSum sum;  // many links are busy at once
  Picoseconds most{};
  std::string busiest;
  std::int64_t links = 0;
  for (std::size_t i = 0; i < run.links.size(); ++i) {
    if (plan.links.at(i).dimension == kEndpointLink) continue;
    ++links;
    const LinkUse& link = run.links[i];
    sum += link.totals.busy.value;
    if (link.totals.busy > most) {
      most = link.totals.busy;
      busiest = link.name;
    }
  }
  row.metrics.set(kLinkUtilisationMean, links == 0 ? 0 : share(sum, run.time) / static_cast<double>(links));
  row.metrics.set(kLinkUtilisationMax, share(most, run.time));
  row.metrics.set(kBusiestLink, busiest);
}

/// "die reduce-scatter" -> "die_reduce_scatter_ns"
std::string window_name(std::string phase) {
  std::replace_if(
      phase.begin(), phase.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return phase + "_ns";
}

}  // namespace

Row row_from_collective(const CollectiveResult& run, const CollectiveSchedule& schedule, const CollectiveCase& asked,
                        const MachinePart& part) {
  const CollectiveBound bound = bound_of(asked, part);
  Row row;
  row.metrics.set(kTime, run.time.ns());
  if (absence(part.machine, sections_to_host()).empty()) row.metrics.set(kLaunchTime, run.launch.ns());
  row.metrics.set(kRankCount, schedule.size());
  row.metrics.set(kChunkBytes, asked.chunk);
  row.metrics.set(kPacketBytes, part.machine.simulation.packet);
  add_bandwidth(row, asked, schedule.size(), run.time);
  row.metrics.set(kStepCount, run.steps);
  row.metrics.set(kSentBytes, run.sent);
  row.metrics.set(kLinkBytes, run.link_bytes);
  add_links(row, run, plan_network(part.machine));
  row.metrics.set(kBoundTime, bound.time.ns());
  row.metrics.set(kBoundBy, bound.resource);
  row.metrics.set(kBoundFraction, run.time.value == 0 ? 1 : share(bound.time, run.time));
  row.metrics.set(kBuffersInHbm, run.in_hbm);
  add_energy(row, part.machine.energy, run.activity, run.time);
  if (schedule.phases.size() > 1) {
    for (std::size_t i = 0; i < schedule.phases.size(); ++i) {
      row.windows[window_name(schedule.phases[i])] = run.phase_ends.at(i).ns();
    }
  }
  return row;
}

Row row_from_collective_bound(const CollectiveCase& asked, const MachinePart& part) {
  const CollectiveBound bound = bound_of(asked, part);
  Row row;
  row.metrics.set(kTime, bound.time.ns());
  row.metrics.set(kRankCount, part.grid.size());
  add_bandwidth(row, asked, part.grid.size(), bound.time);
  row.metrics.set(kBoundBy, bound.resource);
  return row;
}

std::vector<LinkRow> mesh_links(const CollectiveResult& run, const MachinePart& part) {
  const NetworkPlan plan = plan_network(part.machine);
  const GridSpec& dies = part.machine.package.dies;
  const GridSpec& routers = part.machine.die.routers;
  const auto x_of = [&](const NodeLocation& at) {
    return at.die % dies.columns * routers.columns + at.router % routers.columns;
  };
  const auto y_of = [&](const NodeLocation& at) {
    return at.die / dies.columns * routers.rows + at.router / routers.columns;
  };
  std::vector<LinkRow> links;
  for (std::size_t i = 0; i < run.links.size(); ++i) {
    const NetworkLink& link = plan.links.at(i);
    const NodeLocation& from = plan.node(link.from).at;
    const NodeLocation& to = plan.node(link.to).at;
    if ((link.dimension != kMeshX && link.dimension != kMeshY) || from.package != 0) continue;
    links.push_back({.name = run.links[i].name,
                     .from_x = x_of(from),
                     .from_y = y_of(from),
                     .to_x = x_of(to),
                     .to_y = y_of(to),
                     .wires = link.lanes,
                     .utilisation = share(run.links[i].totals.busy, run.time)});
  }
  // Row by row, whatever their numbers are.
  std::ranges::sort(links, {},
                    [](const LinkRow& link) { return std::tuple(link.from_y, link.from_x, link.to_y, link.to_x); });
  return links;
}

}  // namespace kernbench
