// Whether the keys of a machine say how long its memory takes at least (adr/0029, 29.4).
#pragma once

#include <string>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Why no closed form holds for what uses the machine's HBM; "" where closed forms do.
[[nodiscard]] inline std::string why_no_bound(const MachineSpec& machine) {
  if (machine.die.hbm.follows_keys()) return "";
  return "no exact bound: die.hbm.model is " + machine.die.hbm.model;
}

}  // namespace kernbench
