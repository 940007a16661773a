// A distributed GEMM's commands as PEs carry them out: each part of a buffer is cut into cells, each a matrix of its
// own over the partitions of its device's PEs (adr/0044).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/plan/distributed_gemm/global_parts.hpp"
#include "sim/plan/multi_pe_gemm.hpp"
#include "sim/plan/placed_matrix.hpp"

namespace kernbench {

using PlacedCell = std::shared_ptr<const PlacedMatrix>;

/// C (+)= A x B, on all PEs of a device.
struct CellProduct {
  GemmProblem problem;
  PlacedCell a;
  PlacedCell b;
  PlacedCell c;
};

/// What is copied or added. PE p of the device that does it moves part p, which lies with PE p of either device.
struct CellMove {
  PlacedCell from;  ///< null where zeros are written
  PlacedCell to;
};

struct DeviceCommand {
  CommandKind kind = CommandKind::kZero;
  int device = 0;
  QueueKind queue = QueueKind::kCompute;
  int other = 0;             ///< of a copy: the other device
  std::vector<int> waits{};  ///< as Command::waits
  std::vector<CellProduct> products{};
  std::vector<CellMove> moves{};
};

/// A cell of a device's tile of a matrix.
struct TileCell {
  int device = 0;
  GlobalPart part;
  PlacedCell placed;
};

struct DistributedProgram {
  std::vector<DeviceCommand> commands;
  std::vector<TileCell> tiles;  ///< of A, B and C of all devices
  Bytes bytes_of_pe = 0;        ///< of the partition of the PE that has most
};

/// A device is a package (44.1).
[[nodiscard]] inline std::int32_t pes_of_device(const MachineSpec& machine) {
  return static_cast<std::int32_t>(machine.package.dies.count() * machine.die.routers.count());
}

/// How matrices lie on a device.
struct DeviceMemories {
  /// Of each cell over the device's PEs: rows, columns or blocks; nothing: what spreads it most evenly (44.2).
  std::optional<GemmPlacement> placement;
  std::vector<std::vector<MemoryNode>> memories;  ///< by device and PE: as whom others reach its partition
};

/// How the cells of a product lie.
[[nodiscard]] inline GemmPlacement placement_of(const CellProduct& product) {
  return {product.a->policy(), product.b->policy(), product.c->policy()};
}

/// Throws ConfigError where a placement replicates, CapacityError where a partition is too small.
[[nodiscard]] DistributedProgram distributed_program(const DistributedGemmPlan& plan, const CommandList& list,
                                                     const MachineSpec& machine, const DeviceMemories& devices);

}  // namespace kernbench
