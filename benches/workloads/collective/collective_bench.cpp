#include "benches/workloads/collective/collective_bench.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

SimulatedCollective simulate_collective(const MachinePart& part, const CollectiveCase& asked,
                                        const PointSettings& settings) {
  const CollectiveRails rails = rails_of(asked, part);
  CollectiveSettings how;
  if (settings.verify) how.values = CollectiveValues::kIntegers;
  CollectiveResult run = run_collective(part.machine, rails, how);
  Row row = row_from_collective(run, *rails.front(), asked, part);
  if (settings.verify) row.flags.emplace_back("verified");
  return {std::move(run), std::move(row)};
}

double collective_cost(const MachinePart& part, const CollectiveCase& asked) {
  constexpr double kSetUp = 100;  // of a PE
  constexpr double kHops = 10;    // 5 to 15 links for each byte of a rank's buffer, direct all_reduce apart
  const auto ranks = static_cast<double>(part.grid.size());
  const auto bytes = static_cast<double>(asked.bytes);
  const double packets = bytes / static_cast<double>(part.machine.simulation.packet);
  const double messages = asked.algorithm == "ring" ? std::min(ranks, bytes) : 10;
  return part.pes_of_rank * ranks * kSetUp + ranks * (kHops * packets + messages);
}

std::vector<ReportColumn> collective_report() {
  return {{"time_ns", "time (ns)"},
          {"busbw_gbs", "busbw (GB/s)"},
          {"bound_fraction", "of bound", true},
          {"link_util_max", "max link", true}};
}

}  // namespace kernbench
