// Whether all packages of a machine do the same in a collective, each a package further on (adr/0062).
#pragma once

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// Rank r is the machine's PE r. Then a run of one package, into which comes back what leaves it, says all of every
/// package. Reads the whole schedule.
[[nodiscard]] bool one_package_stands_for_all(const MachineSpec& machine, const CollectiveSchedule& schedule);

}  // namespace kernbench
