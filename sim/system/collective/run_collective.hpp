// Runs a collective's schedule on the PEs of a machine (adr/0019). SystemC's kernel is global: one run a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/op_log.hpp"
#include "sim/hw/noc/network.hpp"
#include "sim/machine/energy.hpp"
#include "sim/plan/collective/rails.hpp"

namespace kernbench {

/// What the ranks' buffers hold, to be compared with a reference at the end.
enum class CollectiveValues : std::uint8_t {
  kNone,
  kIntegers,  ///< exact, whatever the order of the additions
  kBf16       ///< rounded after each addition, within the bound of ADR-0019
};

struct CollectiveSettings {
  Picoseconds limit = kForever;  ///< simulated time after which the run is given up
  OpSink* sink = nullptr;        ///< receives every op record
  CollectiveValues values = CollectiveValues::kNone;
  std::uint64_t seed = 1;  ///< of the values
  /// Packages that do the same are simulated once (adr/0062); times and counts are the same, but for the wake-ups.
  bool fast_forward = true;
};

struct LinkUse {
  std::string name;
  LinkTotals totals;
};

struct CollectiveResult {
  Picoseconds launch;                   ///< from the host's command until every PE may start
  Picoseconds time;                     ///< from the start of the kernel to the end of the last rank
  std::vector<Picoseconds> phase_ends;  ///< by phase of the schedule: when its last step ended; 0 without steps
  std::int64_t steps = 0;               ///< the most that one PE has, over its threads: sends, receives, reductions
  Bytes sent = 0;                       ///< payload that PEs handed to the network
  Bytes link_bytes = 0;                 ///< sum over all links of what they carried, credits included
  bool in_hbm = false;                  ///< the ranks' buffers did not fit in TCM and lay in HBM
  std::vector<LinkUse> links;           ///< by link of the network's plan
  std::int64_t packet_hops = 0;         ///< packets carried, summed over links
  Activity activity;                    ///< (adr/0036)
  std::int64_t wakeups = 0;             ///< of the PEs that were simulated
  std::int64_t pes_simulated = 0;
  double largest_error = 0;  ///< bf16 only: largest |error| / bound
};

/// Each rank is as many of the machine's PEs, one after the other, as there are rails; all rails start at once. Throws
/// ConfigError where ranks or buffers do not fit the machine, SimulationError for a deadlock, an exceeded limit or a
/// wrong result.
[[nodiscard]] CollectiveResult run_collective(const MachineSpec& machine, const CollectiveRails& rails,
                                              const CollectiveSettings& settings = {});
/// One rail: rank r is the machine's PE r.
[[nodiscard]] CollectiveResult run_collective(const MachineSpec& machine, const CollectiveSchedule& schedule,
                                              const CollectiveSettings& settings = {});

}  // namespace kernbench
