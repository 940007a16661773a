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
  Picoseconds vector;  ///< in which its vector unit was
  Bytes read = 0;      ///< from memories, its own and others'
  Bytes sent = 0;      ///< in messages
  Bytes written = 0;   ///< to memories
};

/// The link that was at work longest.
struct BusiestLink {
  std::string name;
  Picoseconds time;
};

struct OverResult {
  Picoseconds time;  ///< until the last PE has ended
  std::vector<PeReport> pes;
  Bytes link_bytes = 0;  ///< sum over all links
  BusiestLink busiest_link;
  EngineCounts engine;
  std::int64_t compared = 0;  ///< values that the kernel itself compared
};

/// What the PEs did; when their programs ended is not looked at.
[[nodiscard]] std::vector<PeReport> reports_of(System& system, const std::vector<std::int32_t>& pes);
/// Without a name where no link was used.
[[nodiscard]] BusiestLink busiest_link(const System& system);

/// Of a launch that has ended.
[[nodiscard]] OverResult report_of(System& system, const KernelLaunch& launch);

}  // namespace kernbench
