// The commands that carry out a plan of a distributed GEMM, and what they bring from device to device (ADR-0023).
#pragma once

#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

/// Buffers of a device, each at least 1.
struct ScheduleDepth {
  int prefetch = 2;     ///< for fetched parts of A, and as many for those of B
  int outstanding = 2;  ///< for products on their way to other devices, and at each other device for those to be added
};

/// Afterwards every replica of C holds A * B; what C held before does not matter. Devices fetch parts of A and B while
/// they multiply; products for others are sent, and added where they are not the first; with kDtensor one phase follows
/// the other, and `depth` says nothing. Throws ConfigError where a depth is below 1.
CommandList schedule_distributed_gemm(const DistributedGemmPlan& plan, const ScheduleDepth& depth = {});

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
