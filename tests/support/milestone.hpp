// The committed machine, with keys overridden as `--set` does.
#pragma once

#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

inline MachineSpec milestone(const std::vector<std::string>& overrides = {}) {
  return load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml", overrides).spec;
}

/// One die of it, alone.
inline MachineSpec one_die(std::vector<std::string> overrides = {}) {
  for (const char* key : {"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1"}) {
    overrides.emplace_back(key);
  }
  return milestone(overrides);
}

}  // namespace kernbench
