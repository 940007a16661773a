// What one simulated run reports. Times are picoseconds from the start of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "sim/machine/energy.hpp"

namespace kernbench {

/// Totals of one stage on one engine, harvested from the op log.
struct StageTotals {
  std::string stage;   ///< control, load, schedule, dma_in, fetch, mac, vector, store, dma_out
  std::string engine;  ///< hierarchical name of the component that served it, e.g. "pe0.mac"
  std::int64_t records = 0;
  Picoseconds wall;  ///< union of the records' intervals
  Picoseconds busy;  ///< sum of the records' intervals (occupancy)
  Bytes bytes = 0;
  std::int64_t macs = 0;
  Bytes moved = 0;      ///< bytes of its packets, whole bursts
  Activity activity{};  ///< its part of the run's; nothing where the run's cannot be divided (36.10)
};

struct Window {
  Picoseconds start;
  Picoseconds end;
  [[nodiscard]] constexpr Picoseconds length() const { return end - start; }
};

/// Counts of the simulator's own work, for docs/performance.md and the wake-up budgets.
struct EngineCounts {
  std::int64_t wakeups = 0;
  std::int64_t bursts = 0;
};

struct RunResult {
  Window pe;         ///< first to last activity of the PE, up-front loads included
  Window composite;  ///< first to last activity of the composite
  std::vector<StageTotals> stages;
  std::int64_t tiles = 0;
  std::int64_t tiles_passed_over = 0;  ///< of these: counted, since they repeat others (adr/0047)
  std::int64_t steps = 0;              ///< of a mapping; else 0
  std::int64_t steps_passed_over = 0;  ///< of these, likewise
  std::int64_t useful_macs = 0;
  Bytes hbm_read = 0;     ///< valid bytes read from HBM
  Bytes hbm_written = 0;  ///< valid bytes written to HBM
  /// Time in which a pseudo-channel was at work in the PE window, all of them together; not every model knows.
  std::optional<double> hbm_busy_ns;
  Ledger::Closed ledger;  ///< of the PE window (adr/0033)
  Activity activity;      ///< of the run until nothing is left to happen (adr/0036)
  EngineCounts engine;
};

}  // namespace kernbench
