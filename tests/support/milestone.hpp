// The committed machine, with keys overridden as `--set` does.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/load_machine.hpp"

namespace kernbench {

inline MachineSpec milestone(const std::vector<std::string>& overrides = {}) {
  return load_machine(KERNBENCH_SOURCE_DIR "/topology/milestone_1h.yaml", overrides).spec;
}

}  // namespace kernbench
