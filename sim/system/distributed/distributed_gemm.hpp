// A distributed GEMM on a simulated machine: packages are the devices (ADR-0023, adr/0044).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/energy.hpp"
#include "sim/plan/distributed_gemm/distributed_program.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

struct DistributedRequest {
  DistributedGemm problem;  ///< on as many devices as the machine has packages
  ScheduleDepth depth{};
  std::optional<GemmPlacement> placement{};  ///< of each cell over the PEs of a device (DeviceMemories)
  Bytes chunk = Bytes{64} * 1024;            ///< goes through TCM at once, a tile at least
  std::int64_t candidates = 4;  ///< mappings of a product that are simulated on a device alone, and the fastest taken
  std::int64_t rooms = 4;       ///< for chunks, of fetches and of sends; half as many chunks are added at once; even
  Picoseconds launch{};         ///< from when a command may begin to when its PEs begin it
};

/// When all PEs of a device began a command, and when the last of them ended it.
struct CommandTimes {
  Picoseconds start;
  Picoseconds end;
};

/// Of one device.
struct DeviceTimes {
  Picoseconds multiplying;    ///< some product is under way
  Picoseconds moving;         ///< some copy of the device's own, or to or from it, is under way
  Picoseconds exposed;        ///< of the run, while some copy is and no product is
  std::int64_t products = 0;  ///< of cells
  std::int64_t macs = 0;
  DeviceTraffic traffic;
};

/// No run is faster than the largest: theory (44.8).
struct DistributedBound {
  Picoseconds compute;        ///< the arrays of the device with most MACs, at their full rate
  Picoseconds communication;  ///< the copies, over the busiest link of the routes that they take (44.12)
  Picoseconds memory;         ///< what the partitions of a device give and take
  std::string link{};         ///< which link communication is of
  [[nodiscard]] Picoseconds time() const;
  [[nodiscard]] std::string limit() const;  ///< "compute", "communication" or "memory"
};

struct DistributedResult {
  Picoseconds time;
  DistributedMethod method = DistributedMethod::kC;
  std::vector<MeshCut> cuts{};         ///< of kDtensor
  std::vector<CommandTimes> commands;  ///< as in the command list
  std::vector<DeviceTimes> devices;
  DistributedBound bound;
  Activity activity{};        ///< of all PEs, memories and links
  std::int64_t products = 0;  ///< of cells, over all devices
  std::int64_t wakeups = 0;   ///< of the simulation
  std::int64_t compared = 0;  ///< values, where the run carries them
};

/// Without a simulation. Throws as run_distributed_gemm for wrong input.
[[nodiscard]] DistributedBound distributed_gemm_bound(const MachineSpec& machine, const DistributedRequest& request);

/// Throws ConfigError for wrong input, CapacityError where something does not fit, SimulationError for a deadlock, an
/// exceeded limit or a wrong result.
[[nodiscard]] DistributedResult run_distributed_gemm(const MachineSpec& machine, const DistributedRequest& request,
                                                     const RunSettings& settings = {});

}  // namespace kernbench
