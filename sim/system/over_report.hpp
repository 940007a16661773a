// What a run on several PEs reports: each PE, the links, the simulator's own work (adr/0030).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/system/kernel_launch.hpp"
#include "sim/system/run_result.hpp"

namespace kernbench {

/// What one PE did.
struct PeReport {
  std::string name;   ///< of the node: "package0.die0.pe3"
  Picoseconds end;    ///< of its program
  Picoseconds array;  ///< in which its MAC array was at work
  std::int64_t macs = 0;
  Bytes read = 0;     ///< from memories, its own and others'
  Bytes sent = 0;     ///< in messages
  Bytes written = 0;  ///< to memories
};

struct OverResult {
  Picoseconds time;  ///< until the last PE has ended
  std::vector<PeReport> pes;
  Bytes link_bytes = 0;  ///< sum over all links
  std::string busiest_link;
  Picoseconds busiest_link_time;  ///< in which it was at work
  EngineCounts engine;
};

/// Of a launch that has ended.
[[nodiscard]] OverResult report_of(System& system, const KernelLaunch& launch);

}  // namespace kernbench
