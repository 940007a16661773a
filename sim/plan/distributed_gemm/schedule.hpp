// The commands that carry out a plan of a distributed GEMM, and what they bring from device to device (ADR-0023).
#pragma once

#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

/// Afterwards every replica of C holds A * B; what C held before does not matter. Devices fetch parts of A and B, two
/// buffers an operand, while they multiply; products for others are sent, and added where they are not the first.
CommandList schedule_distributed_gemm(const DistributedGemmPlan& plan);

/// Bytes of an element.
struct ElementBytes {
  Bytes operand = 2;  ///< of A and B: bf16
  Bytes result = 4;   ///< of C and of partial products: fp32
};

/// Bytes that a device gets from others and gives to others, by whatever side's command.
struct DeviceTraffic {
  Bytes received = 0;
  Bytes sent = 0;
};

/// Of each device.
std::vector<DeviceTraffic> traffic_of(const CommandList& list, int devices, ElementBytes bytes = {});

}  // namespace kernbench
