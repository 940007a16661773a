// Runs the transfers of a probe on a machine (adr/0021). SystemC's kernel is global: one run a process.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/probe/probe_time.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

struct ProbeRun {
  std::vector<Picoseconds> ends;  ///< of each transfer: its last delivery or acknowledgement; all start at 0
  std::int64_t packet_hops = 0;
  Activity activity;
  std::int64_t wakeups = 0;
};

/// Nodes are those of plan_network(machine). Of the settings the limit and the sink hold. Throws SimulationError where
/// a transfer does not end.
[[nodiscard]] ProbeRun run_probe(const MachineSpec& machine, const std::vector<ProbeTransfer>& transfers,
                                 const RunSettings& settings = {});

}  // namespace kernbench
