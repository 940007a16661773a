// A point of bench universal-gemm: a distributed GEMM on all packages of a machine (adr/0044).
#pragma once

#include <optional>
#include <string>

#include "benches/workloads/bench.hpp"
#include "sim/system/distributed/distributed_gemm.hpp"

namespace kernbench {

/// Of the cells of A, B and C over a device's PEs, from "blocks-rows-columns"; nothing of "even". Throws ConfigError.
[[nodiscard]] std::optional<GemmPlacement> placement_of_cells(const std::string& text);

/// Throws ConfigError for what no machine can do.
[[nodiscard]] DistributedRequest distributed_request(const MachineSpec& machine, const Point& point);

/// Metrics of a run; stages `multiplying`, `moving` and `exposed` of each device.
[[nodiscard]] Row row_of_distributed(const DistributedResult& run, const DistributedRequest& request,
                                     const MachineSpec& machine);

}  // namespace kernbench
