// milestone-1h-ccl: collectives between the PEs of a die, of a package and of several packages (docs/collectives.md).
#include "benches/workloads/bench.hpp"

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/points.hpp"
#include "benches/workloads/collective/collective_bench.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"

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
  SimulatedCollective simulated = simulate_collective(part, case_of(point, part.machine), settings);
  if (maps_links(point)) simulated.row.links = mesh_links(simulated.run, part);
  return simulated.row;
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MachinePart part = part_of(machine, point);
  return memory_of(case_of(point, part.machine), part, settings.verify);
}

double cost(const MachineSpec& machine, const Point& point) {
  const MachinePart part = part_of(machine, point);
  return collective_cost(part, case_of(point, part.machine));
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
    .report = collective_report(),
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .derive = derive_collectives,
    .figures = milestone_1h_ccl_figures,
    .headline = milestone_1h_ccl_headline,
    .measured_bench = "gpu-collectives",
    .figures_beside = milestone_1h_ccl_beside,
});

}  // namespace
}  // namespace kernbench
