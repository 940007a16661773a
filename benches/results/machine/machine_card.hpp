// The machine of a run in a few lines: what a reader has to know of it to judge the numbers.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct MachineFact {
  std::string name;     ///< "ridge point of the HBM"
  std::string value;    ///< with its unit
  std::string meaning;  ///< a sentence
};

/// Size, peaks, bandwidths, and the ridge points at which a bandwidth feeds the peak. Of a memory whose model does not
/// follow the machine's keys (ADR-0029) the model's name in place of its bandwidth.
std::vector<MachineFact> machine_facts(const MachineSpec& machine);

/// "die.hbm.bandwidth: 512 GB/s, there 256 GB/s" for each key in which the two differ, the name not.
std::vector<std::string> machine_differences(const MachineSpec& machine, const MachineSpec& there);

}  // namespace kernbench
