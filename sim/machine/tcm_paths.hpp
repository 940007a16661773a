// What every byte passes between a PE's router and its TCM: every bound, estimate and report that says how fast a PE
// can be given or gives operands takes its rate from here.
#pragma once

#include <algorithm>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// At which a TCM is filled at best, from wherever.
[[nodiscard]] inline Bandwidth into_tcm(const MachineSpec& machine) {
  return std::min(machine.die.router.link, machine.pe.tcm.write);
}

/// At which it is read; of writes to HBM it is the rate, since the memory acknowledges before it writes.
[[nodiscard]] inline Bandwidth out_of_tcm(const MachineSpec& machine) {
  return std::min(machine.die.router.link, machine.pe.tcm.read);
}

/// At which a PE reads its own partition at best (7.1).
[[nodiscard]] inline Bandwidth read_path(const MachineSpec& machine) {
  return std::min(machine.die.hbm.bandwidth, into_tcm(machine));
}

}  // namespace kernbench
