// Which collectives the bench runs, and what a point of it means.
#pragma once

#include <vector>

#include "benches/workloads/bench.hpp"
#include "benches/workloads/collective/collective_case.hpp"

namespace kernbench {

/// The axes `case` (collective, algorithm, scale, ...) and `size`.
[[nodiscard]] std::vector<Axis> milestone_1h_ccl_axes();

/// Which sizes a case is run at: the expensive ones at fewer.
[[nodiscard]] bool milestone_1h_ccl_includes(const Point& point);

/// The PEs that take part in a point, of the machine changed as the point says: packages, their arrangement, the tier
/// of the message slots. Throws ConfigError where the machine has too few PEs.
[[nodiscard]] MachinePart part_of(const MachineSpec& machine, const Point& point);

[[nodiscard]] CollectiveCase case_of(const Point& point, const MachineSpec& machine);

}  // namespace kernbench
