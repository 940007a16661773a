// A simulated collective as a result row (formulas: adr/0020; fields: docs/results.md).
#pragma once

#include "benches/results/rows/results.hpp"
#include "benches/workloads/collective/collective_case.hpp"
#include "sim/system/collective/run_collective.hpp"

namespace kernbench {

/// Times in ns, bandwidths in GB/s = 1e9 B/s, ratios as fractions of one; the ends of the phases as windows where the
/// schedule has several. The point is the caller's to fill in.
[[nodiscard]] Row row_from_collective(const CollectiveResult& run, const CollectiveSchedule& schedule,
                                      const CollectiveCase& asked, const MachinePart& part);

/// The closed-form bound as a row: time_ns, the resource that sets it, ranks, algbw and busbw.
[[nodiscard]] Row row_from_collective_bound(const CollectiveCase& asked, const MachinePart& part);

/// The links between neighbouring routers of the first package, and how much of the time each carries bytes.
[[nodiscard]] std::vector<LinkRow> mesh_links(const CollectiveResult& run, const MachinePart& part);

}  // namespace kernbench
