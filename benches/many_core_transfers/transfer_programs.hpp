// The programs that the published transfers were measured of, on a simulated machine.
#pragma once

#include "benches/many_core_transfers/published_transfers.hpp"
#include "sim/system/multi_pe_report.hpp"

namespace kernbench {

struct SimulatedTransfer {
  MultiPeResult run;
  Picoseconds time;  ///< until the issuing core has an acknowledgement of all, or all data
};

/// By the core at the mesh's first corner: of a write to a core its diagonal neighbour's memory, of a multicast those
/// of a square or of all others, of DRAM one channel, the first of the file. What the measuring program adds is not in
/// it. Throws as check_transfer().
[[nodiscard]] SimulatedTransfer simulate_transfer(const MachineSpec& machine, const Point& point);

/// Throws ConfigError where the machine has not the cores, or a network that copies no packets.
void check_transfer(const MachineSpec& machine, const Point& point);

}  // namespace kernbench
