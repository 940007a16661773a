// What the devices of a distributed GEMM did, and how fast they could have been (adr/0044).
#pragma once

#include <vector>

#include "sim/plan/network/network_plan.hpp"
#include "sim/system/distributed/distributed_gemm.hpp"

namespace kernbench {

/// By device.
[[nodiscard]] std::vector<DeviceTimes> device_times(const std::vector<DeviceCommand>& commands,
                                                    const std::vector<CommandTimes>& times,
                                                    const std::vector<DeviceTraffic>& traffic);

/// Theory: what the machine's rates alone allow (44.8, 44.12). `launch` is what a command waits for before it begins.
[[nodiscard]] DistributedBound distributed_bound(const std::vector<DeviceCommand>& commands, const MachineSpec& machine,
                                                 const NetworkPlan& network, Picoseconds launch);

}  // namespace kernbench
