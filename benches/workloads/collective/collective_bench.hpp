// What benches of collectives share: how a case is simulated, what that costs, what is told of it.
#pragma once

#include <vector>

#include "benches/workloads/bench.hpp"
#include "benches/workloads/collective/row_from_collective.hpp"

namespace kernbench {

struct SimulatedCollective {
  CollectiveResult run;
  Row row;  ///< flagged `verified` where values were carried
};

/// Throws as rails_of and run_collective.
[[nodiscard]] SimulatedCollective simulate_collective(const MachinePart& part, const CollectiveCase& asked,
                                                      const PointSettings& settings);

/// About the packets that cross links, and what a machine of that many PEs costs before the first one.
[[nodiscard]] double collective_cost(const MachinePart& part, const CollectiveCase& asked);

/// Columns of the table at the end of a run.
[[nodiscard]] std::vector<ReportColumn> collective_report();

}  // namespace kernbench
