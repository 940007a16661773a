// Bandwidth of DRAM published of a many-core chip by where the cores are that use it, on a simulated machine.
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Cores that each use one channel, all at once.
struct DramPlacement {
  std::int32_t channels = 0;
  std::int32_t cores = 0;  ///< a multiple of the channels
  bool careful = false;    ///< each near its channel; else at random
  bool writes = false;
};

/// In GB/s, all cores together; of random ones the mean of 20 placements.
[[nodiscard]] double simulate_placement(const MachineSpec& machine, const DramPlacement& placement);

/// Throws ConfigError where the machine has not so many cores and controllers.
void check_placement(const MachineSpec& machine, const DramPlacement& placement);

}  // namespace kernbench
