// How large the network of a machine is, from its file's keys alone: known before a node of it is made.
#pragma once

#include <cstdint>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// Of a machine that passes the machine file's checks.
struct NetworkSize {
  std::int64_t nodes = 0;
  std::int64_t switching = 0;  ///< of them: routers and switches
  std::int64_t links = 0;
  std::int64_t classes = 1;  ///< of virtual channels
};

[[nodiscard]] NetworkSize network_size(const MachineSpec& machine);

/// What plan_network takes: the plan, and the check for deadlocks.
[[nodiscard]] MemoryEstimate network_memory(const MachineSpec& machine);

}  // namespace kernbench
