// milestone-1h-ccl: collectives between the PEs of a die, of a package and of several packages (docs/collectives.md).
#include "benches/harness/bench.hpp"

#include <algorithm>

#include "benches/harness/collective/derive_collectives.hpp"
#include "benches/harness/collective/row_from_collective.hpp"
#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/points.hpp"

namespace kernbench {
namespace {

/// Where the results keep every link, for the map of the package's mesh.
bool maps_links(const Point& point) {
  constexpr Bytes kMapped = 1 << 20;
  const std::string algorithm = point.at("algorithm");
  return point.at("scale") == "package" && !point.contains("pes") && point.at("bytes") == kMapped &&
         (algorithm == "ring" || algorithm == "hierarchical");
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MachinePart part = part_of(machine, point);
  const CollectiveCase asked = case_of(point, part.machine);
  const CollectiveLanes lanes = lanes_of(asked, part);
  CollectiveSettings how;
  if (settings.verify) how.values = CollectiveValues::kIntegers;
  const CollectiveResult run = run_collective(part.machine, lanes, how);
  Row row = row_from_collective(run, *lanes.front(), asked, part);
  if (settings.verify) row.flags.emplace_back("verified");
  if (maps_links(point)) row.links = mesh_links(run, part);
  return row;
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MachinePart part = part_of(machine, point);
  return memory_of(case_of(point, part.machine), part, settings.verify);
}

/// About the packets that cross links, and what a machine of that many PEs costs before the first one.
double packets_of(const MachineSpec& machine, const Point& point) {
  constexpr double kSetUp = 100;  // of a PE
  constexpr double kHops = 10;    // 5 to 15 links for each byte of a rank's buffer, direct all_reduce apart
  const MachinePart part = part_of(machine, point);
  const auto ranks = static_cast<double>(part.grid.size());
  const double packets = point.at("bytes").get<double>() / static_cast<double>(part.machine.simulation.packet);
  const double messages = point.at("algorithm") == "ring" ? std::min(ranks, point.at("bytes").get<double>()) : 10;
  return ranks * (kSetUp + kHops * packets + messages);
}

Row theory(const MachineSpec& machine, const Point& point) {
  const MachinePart part = part_of(machine, point);
  return row_from_collective_bound(case_of(point, part.machine), part);
}

const bool registered = register_bench({
    .name = "milestone-1h-ccl",
    .summary = "Collectives on a die, a package, six packages: 6 collectives, 9 algorithms",
    .version = "2",
    .folder = "benches/milestone_1h_ccl",
    .axes = milestone_1h_ccl_axes(),
    .includes = milestone_1h_ccl_includes,
    .uses_network = true,
    .report = {{"time_ns", "time (ns)"},
               {"busbw_gbs", "busbw (GB/s)"},
               {"bound_fraction", "of bound", true},
               {"link_util_max", "max link", true}},
    .simulate = simulate,
    .memory = memory,
    .cost = packets_of,
    .theory = theory,
    .derive = derive_collectives,
    .figures = milestone_1h_ccl_figures,
    .headline = milestone_1h_ccl_headline,
    .measured_bench = "gpu-collectives",
    .figures_beside = milestone_1h_ccl_beside,
});

}  // namespace
}  // namespace kernbench
