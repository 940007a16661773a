// What a run on several PEs reports: each PE, the links, the simulator's own work (adr/0030).
#pragma once

#include <cstdint>
#include <optional>
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
  Picoseconds vector;       ///< in which its vector unit was
  Bytes read = 0;           ///< from memories, its own and others'
  Bytes sent = 0;           ///< in messages
  Bytes written = 0;        ///< to memories
  Ledger::Closed ledger{};  ///< until the end of its program, where one is kept (adr/0033)
};

/// What a link carried.
struct NetworkLinkWork {
  std::string name;
  Picoseconds time;   ///< at work
  bool port = false;  ///< the way of a PE or a memory to its router, or back
};

/// What a controller carried of a memory that PEs share.
struct ControllerWork {
  std::string name;      ///< with its router's row and column: "package0.die0.hbm5 (router 0,5)"
  std::int32_t die = 0;  ///< by its number in the machine
  Bytes bytes = 0;       ///< whole bursts, read and taken in
};

struct BusiestController {
  std::string name;
  double of_mean = 0;  ///< times the mean of its die's controllers
};

struct MultiPeResult {
  Picoseconds time;  ///< until the last PE has ended
  std::vector<PeReport> pes;
  Bytes network_bytes = 0;  ///< sum over the links between routers
  Bytes port_bytes = 0;     ///< sum over the links between routers and PEs, memories, hosts
  NetworkLinkWork busiest_link;
  std::vector<ControllerWork> controllers;  ///< of the dies of its PEs, where these share their HBM (64.12)
  Activity activity;                        ///< (adr/0036)
  EngineCounts engine;
  std::int64_t simulated = 0;          ///< PEs; the others did what one of these did (adr/0060)
  std::int64_t tiles_passed_over = 0;  ///< of all PEs: counted, since they repeat others (adr/0047)
  std::int64_t compared = 0;           ///< values that the kernel itself compared
};

/// What the PEs did; when their programs ended is not looked at.
[[nodiscard]] std::vector<PeReport> reports_of(System& system, const std::vector<std::int32_t>& pes);
/// With the ends of a launch's programs, and the ledgers until then, where they are kept; once for a run.
[[nodiscard]] std::vector<PeReport> reports_of(System& system, const KernelLaunch& launch);
/// What all links have carried, and the machine's activity.
void add_traffic(const System& system, MultiPeResult& result);
/// Of every link, in the order of their numbers.
[[nodiscard]] std::vector<NetworkLinkWork> network_links(const System& system);
/// The one between routers or switches that was at work longest, the first of equal ones; without a name where none
/// was.
[[nodiscard]] NetworkLinkWork busiest(const std::vector<NetworkLinkWork>& links);

/// Of the dies of these PEs, die by die; none of partitions.
[[nodiscard]] std::vector<ControllerWork> controllers_of(const System& system, const std::vector<std::int32_t>& pes);
/// The one that carried most, the first of equal ones; nothing where none carried anything.
[[nodiscard]] std::optional<BusiestController> busiest_of(const std::vector<ControllerWork>& controllers);

/// Of a launch that has ended.
[[nodiscard]] MultiPeResult report_of(System& system, const KernelLaunch& launch);

}  // namespace kernbench
