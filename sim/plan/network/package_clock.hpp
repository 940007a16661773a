// Packages that are clocked lower or higher than the machine says (adr/0041, 41.9).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// The machine's own, in millionths.
inline constexpr std::int64_t kOwnClock = 1'000'000;

/// The machine with every time of a PE, a memory and a router divided, every bandwidth and frequency of theirs
/// multiplied by `clock` millionths. Times are rounded up, rates down, to no less than 1.
[[nodiscard]] MachineSpec at_clock(const MachineSpec& machine, std::int64_t clock);

/// The same for the routers of each package, its switch, and the links between nodes of one package; `clocks` by
/// package, empty for a machine of one clock.
void set_clocks(NetworkPlan& plan, const std::vector<std::int64_t>& clocks);

}  // namespace kernbench
